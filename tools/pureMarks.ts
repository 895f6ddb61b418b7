/** The marks by which a bundler drops what a program does not use of a built module. */
import type { Plugin } from "rolldown"
import { parseAst } from "rolldown/parseAst"

/** Lists where the calls begin that run while a module loads. A mark before a call counts for the calls in its callee too. */
const callsOnLoad = (node: unknown): ReadonlyArray<number> => {
  if (typeof node !== "object" || node === null) return []
  const { type, ...parts } = node as { readonly type?: string; readonly start?: number; readonly arguments?: unknown }
  if (type === "ExpressionStatement" || type?.includes("Function") === true) return []
  const isCall = type === "CallExpression" || type === "NewExpression"
  return isCall ? [parts.start!, ...callsOnLoad(parts.arguments)] : Object.values(parts).flatMap(callsOnLoad)
}

/**
 * Marks the calls that make the constants and classes of a module as pure, as Effect's own build does, so that a bundler
 * drops each that a program does not use. A call that stands alone is there for what it does, and gets no mark.
 */
export const pureMarks: Plugin = {
  name: "pure-marks",
  renderChunk: (code, _chunk, _options, { magicString }) => {
    for (const at of callsOnLoad(parseAst(code).body)) magicString!.appendLeft(at, "/* @__PURE__ */ ")
    return magicString
  }
}
