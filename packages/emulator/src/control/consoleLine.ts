/** Formats a request as a line for the console. */
import { styleText } from "node:util"
import * as DateTime from "effect/DateTime"
import type { Received } from "../model/Received.ts"
import { basePath } from "../service/routes.ts"

type Style = Parameters<typeof styleText>[0]

/**
 * The line shows the time, status, method, path, query, body, operation, error code, session and generation of the token, duration,
 * and fault. Node decides whether the output has colours.
 */
export const format = (received: Received): string => {
  const { at, body, code, fault, method, operation, path, query, status, token, took } = received
  const statusStyle = status === undefined || status >= 500 ? "red" : status >= 400 ? "yellow" : "green"
  const parts: ReadonlyArray<readonly [style: Style, text: string | undefined]> = [
    ["dim", DateTime.formatIso(at).slice(11, 23)],
    [statusStyle, String(status ?? "---")],
    ["cyan", method.padEnd(6)],
    [
      "none",
      (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path) + (query === undefined ? "" : `?${query}`)
    ],
    ["none", body],
    ["dim", operation ?? "no operation"],
    [statusStyle, code],
    ["none", token?.generation === undefined ? undefined : `s${token.session} g${token.generation}`],
    ["dim", took === undefined ? undefined : `${took < 10 ? took.toFixed(1) : took.toFixed(0)} ms`],
    ["magenta", fault && `fault: ${fault}`]
  ]
  return parts.flatMap(([style, text]) => (text === undefined ? [] : [styleText(style, text)])).join("  ")
}
