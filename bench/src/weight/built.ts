/** Lets a process import the built packages, as npm would install them. For `node --import`. */
import { registerHooks } from "node:module"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"

const packages = Path.resolve(import.meta.dirname, "../../../packages")

registerHooks({
  resolve: (specifier, context, next) => {
    const [, name, module = "index"] = /^@effect-custody\/([^/]+)(?:\/(.+))?$/.exec(specifier) ?? []
    return name === undefined
      ? next(specifier, context)
      : next(pathToFileURL(Path.join(packages, name, "lib", `${module}.js`)).href, context)
  }
})
