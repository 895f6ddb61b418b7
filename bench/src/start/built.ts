/** Lets a process import the built packages, as npm would install them. For `node --import`. */
import { registerHooks } from "node:module"
import { pathToFileURL } from "node:url"
import { builtFile } from "./builtFile.ts"

registerHooks({
  resolve: (specifier, context, next) => {
    const file = builtFile(specifier)
    return next(file === undefined ? specifier : pathToFileURL(file).href, context)
  }
})
