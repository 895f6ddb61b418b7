/** Words of names and paths, made comparable. */

export const singular = (word: string): string => {
  if (word.length > 3 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us")
    ? word.slice(0, -1)
    : word
}

/** The words of a text in lower case: `clientId`, `client_id` and `Client ID` are the same. */
export const split = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** A name as a key: the same for every spelling. */
export const keyOf = (name: string): string => split(name).join(" ")
