import { globSync } from "node:fs"
import * as Path from "node:path"

const packages = Path.resolve(import.meta.dirname, "../../../packages")

/** The built file that a specifier of ours names; `undefined` for any other specifier. */
export const builtFile = (specifier: string): string | undefined => {
  const [, name, module = "index"] = /^@effect-custody\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  const [file] = name === undefined ? [] : globSync(`{,extensions/}${name}/lib/${module}.js`, { cwd: packages })
  return file && Path.join(packages, file)
}
