import * as Path from "node:path"

const packages = Path.resolve(import.meta.dirname, "../../../packages")

/** The built file that a specifier of ours names; `undefined` for any other specifier. */
export const builtFile = (specifier: string): string | undefined => {
  const [, name, module = "index"] = /^@effect-custody\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
  return name === undefined ? undefined : Path.join(packages, name, "lib", `${module}.js`)
}
