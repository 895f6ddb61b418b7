/** Mistakes in a contract, and their places. */
import { type Path, quoted } from "../language/JsonText.ts"

export { quoted }

export interface Problem {
  readonly path: Path
  readonly message: string
}

/** Reports a mistake at a path below the reporter's own place. */
export type Report = (path: Path, message: string) => void

/** Narrows a reporter to a part of its document. */
export const at =
  (report: Report, ...parent: Path): Report =>
  (path, message) =>
    report([...parent, ...path], message)

const simplify = (name: string): string => name.toLowerCase().replaceAll(/[^a-z0-9]/g, "")

/** Reports each unknown name. Suggests the known names with the same beginning, or else all known names. */
export const reportUnknown = (
  report: Report,
  names: Iterable<string>,
  known: ReadonlyArray<string>,
  what: string
): void => {
  for (const name of names) {
    if (known.includes(name)) continue
    const near = known.filter((each) => simplify(each).startsWith(simplify(name).slice(0, 4)))
    report([name], `there is no ${what} ${quoted(name)}: ${(near.length > 0 ? near : known).map(quoted).join(", ")}`)
  }
}
