/** What is wrong with a contract, and where. Pure. */
import { type Path, quoted } from "../language/JsonText.ts"

export { quoted }

export interface Problem {
  readonly path: Path
  readonly message: string
}

export type Problems = ReadonlyArray<Problem>

/** A problem if a condition holds. */
export const problemIf = (isWrong: boolean, path: Path, message: string): Problems =>
  isWrong ? [{ path, message }] : []

/** The same problems, further in. */
export const within = (path: Path, problems: Problems): Problems =>
  problems.map((each) => ({ ...each, path: [...path, ...each.path] }))

const simplified = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** The known names, or those that begin like an unknown one. */
const meant = (name: string, known: ReadonlyArray<string>): string => {
  const near = known.filter((each) => simplified(each).startsWith(simplified(name).slice(0, 4)))
  return (near.length > 0 ? near : known).map(quoted).join(", ")
}

/** Names that are not known. */
export const strangers = (names: Iterable<string>, known: ReadonlyArray<string>, what: string): Problems =>
  [...names]
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: [name], message: `there is no ${what} ${quoted(name)}: ${meant(name, known)}` }))
