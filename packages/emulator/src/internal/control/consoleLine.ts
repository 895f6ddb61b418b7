/** Formats a request as a line for the console. */
import * as DateTime from "effect/DateTime"
import type { Received, TokenUse } from "../../Received.ts"
import { basePath } from "../http/routes.ts"

/** Whether to use colour: by https://no-color.org and https://force-color.org, otherwise on a terminal only. */
export const usesColour = (
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean | undefined
): boolean => {
  const { FORCE_COLOR: forced = "", NO_COLOR: none = "" } = env
  if (none !== "") return false
  return forced === "" ? isTerminal === true : forced !== "0" && forced !== "false"
}

type Paint = (text: string) => string

const painter =
  (colours: boolean) =>
  (code: number): Paint =>
    colours ? (text) => `\u001B[${code}m${text}\u001B[0m` : (text) => text

const short = (path: string): string => (path.startsWith(`${basePath}/`) ? path.slice(basePath.length) : path)

const generationOf = (token: TokenUse | undefined): string =>
  token?.generation === undefined ? "" : `s${token.session} g${token.generation}`

const twoDigits = (took: number): string => (took < 10 ? took.toFixed(1) : took.toFixed(0))

/**
 * Formats a request: time, status, method, path, operation, code, session and generation of its token, duration, and
 * fault.
 */
export const formatter = (colours: boolean): ((received: Received) => string) => {
  const paint = painter(colours)
  const [red, green, yellow, magenta, cyan, dim] = [31, 32, 33, 35, 36, 2].map(paint) as [
    Paint,
    Paint,
    Paint,
    Paint,
    Paint,
    Paint
  ]
  const paintStatus = (status: number | undefined): Paint =>
    status === undefined || status >= 500 ? red : status >= 400 ? yellow : green
  return ({ at, code, fault, method, operation, path, status, token, took }) =>
    [
      dim(DateTime.formatIso(at).slice(11, 23)),
      paintStatus(status)(String(status ?? "---")),
      cyan(method.padEnd(6)),
      short(path),
      dim(operation ?? "no operation"),
      code === undefined ? "" : paintStatus(status)(code),
      generationOf(token),
      took === undefined ? "" : dim(`${twoDigits(took)} ms`),
      fault === undefined ? "" : magenta(`fault: ${fault}`)
    ]
      .filter((part) => part !== "")
      .join("  ")
}
