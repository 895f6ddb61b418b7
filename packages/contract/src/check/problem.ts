/** Mistakes in a contract, and their places. Pure. */
import { type Path, quoted } from "../language/JsonText.ts"

export { quoted }

export interface Problem {
  readonly path: Path
  readonly message: string
}

export type Problems = ReadonlyArray<Problem>

/** Returns one problem if `isWrong`, and no problem otherwise. */
export const problemIf = (isWrong: boolean, path: Path, message: string): Problems =>
  isWrong ? [{ path, message }] : []

/** Puts `path` before the path of each problem. */
export const within = (path: Path, problems: Problems): Problems =>
  problems.map((each) => ({ ...each, path: [...path, ...each.path] }))

const simplify = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** The known names that begin like an unknown name, or all known names if none does. */
const suggestions = (name: string, known: ReadonlyArray<string>): string => {
  const near = known.filter((each) => simplify(each).startsWith(simplify(name).slice(0, 4)))
  return (near.length > 0 ? near : known).map(quoted).join(", ")
}

/** Reports each name that is not known. */
export const unknownNames = (names: Iterable<string>, known: ReadonlyArray<string>, what: string): Problems =>
  [...names]
    .filter((name) => !known.includes(name))
    .map((name) => ({ path: [name], message: `there is no ${what} ${quoted(name)}: ${suggestions(name, known)}` }))
