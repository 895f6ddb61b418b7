/** Which rows of a long command are tried: `--part 2/4` takes every fourth, from the second; `--only` those with a text in their name. */
export const chosen = ({ only, part }: { readonly only: string; readonly part: string }) => {
  const parsed = /^([1-9]\d{0,3})\/([1-9]\d{0,3})$/.exec(part)
  const [nth, parts] = [Number(parsed?.[1]), Number(parsed?.[2])]
  if (!(nth <= parts)) throw new Error(`--part ${part} is not a part such as 2/4`)
  return (name: string, at: number): boolean => at % parts === nth - 1 && name.includes(only)
}
