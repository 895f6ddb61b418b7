/** From here on, an import of one of Node's own modules fails. */
import { isBuiltin, registerHooks } from "node:module"

registerHooks({
  resolve: (specifier, context, next) => {
    if (isBuiltin(specifier)) throw new Error(`no module of Node: ${specifier}, wanted by ${context.parentURL}`)
    return next(specifier, context)
  }
})
