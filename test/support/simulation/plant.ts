/**
 * Plants bugs: a bug wraps exported functions, values or layers of modules, and everything that imports these gets the
 * wrapped ones. A module's calls of its own functions stay as they are.
 *
 * A file of bugs imports only types of the modules that it wraps. Otherwise they would be loaded before the bug is
 * planted.
 */
import { existsSync } from "node:fs"
import { registerHooks } from "node:module"

type Exports = Readonly<Record<string, unknown>>

interface Wrapped {
  /** The path of the module below the repository's root. */
  readonly path: string
  readonly wrap: Readonly<Record<string, ((original: never) => unknown) | undefined>>
}

export type Bugs = Readonly<Record<string, ReadonlyArray<Wrapped>>>

/**
 * Names a module of the repository whose exports bugs wrap. Each given function gets an export, and returns what replaces
 * it.
 */
export const moduleAt =
  <Module extends object>(path: string) =>
  (wrap: { readonly [Name in keyof Module]?: (original: Module[Name]) => Module[Name] }): Wrapped => ({ path, wrap })

const root = new URL("../../../", import.meta.url)

/** Where the wrapping modules find their wrappers. */
const key = "effect-custody planted bug"

/** Plants a bug into the modules that are loaded afterwards. Fails if the bug or one of its modules is gone. */
export const plant = (name: string, bugs: Bugs): void => {
  const bug = bugs[name]
  if (bug === undefined) throw new Error(`--bug must be one of: ${Object.keys(bugs).join(", ")}`)
  const places = new Map(bug.map(({ path, wrap }) => [new URL(path, root).href, wrap]))
  for (const url of places.keys()) if (!existsSync(new URL(url))) throw new Error(`${name}: ${url} is gone`)
  Object.assign(globalThis, {
    [key]: (url: string, original: Exports): Exports =>
      Object.fromEntries(Object.entries(places.get(url)!).map(([name, make]) => [name, make!(original[name] as never)]))
  })
  registerHooks({
    load: (url, context, nextLoad) => {
      const wrap = places.get(url)
      if (wrap === undefined) return nextLoad(url, context)
      const original = JSON.stringify(`${url}?original`)
      const source = [
        `export * from ${original}`,
        `import * as original from ${original}`,
        `const wrapped = globalThis[${JSON.stringify(key)}](${JSON.stringify(url)}, original)`,
        ...Object.keys(wrap).map((name) => `export const ${name} = wrapped.${name}`)
      ].join("\n")
      return { format: "module", source, shortCircuit: true }
    }
  })
}
