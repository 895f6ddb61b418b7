/** How many letters a person has to add, remove or replace to get from one text to the other. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const letter of from) {
    const next = [row[0]! + 1]
    for (let at = 1; at <= to.length; at++) {
      next.push(Math.min(row[at]! + 1, next[at - 1]! + 1, row[at - 1]! + (letter === to[at - 1] ? 0 : 1)))
    }
    row = next
  }
  return row[to.length]!
}

/** Ends a message about an unknown name with the nearest known one; `otherwise` if none is a typing mistake away. */
export const suggestion = (name: string, known: Iterable<string>, otherwise: string): string => {
  const [nearest] = [...known]
    .map((one) => [distance(name, one), one] as const)
    .filter(([steps]) => steps <= 3)
    .sort(([a], [b]) => a - b)
  return nearest === undefined ? otherwise : `did you mean ${nearest[1]}?`
}
