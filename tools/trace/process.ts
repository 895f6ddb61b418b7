/**
 * Traces one call, in a process of its own. V8 says which functions run between the call's begin and its end, also in
 * the fibers of the SDK itself. The call runs some times before, so that nothing is loaded or made for the first time.
 *
 * Coverage has no order. So the call runs once more, with a breakpoint in each function that has run. The condition of
 * a breakpoint notes the function, and is `false`, so that the process never stops.
 */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Option from "effect/Option"
import { mkdtempSync, rmSync } from "node:fs"
import { type Profiler, Session } from "node:inspector/promises"
import { tmpdir } from "node:os"
import { join, relative, sep } from "node:path"
import { fileURLToPath } from "node:url"
import { Payouts } from "@effect-custody/ledger"
import { root } from "../workspace.ts"
import { type CallName, calls, layer, type Traced } from "./calls.ts"

/** A file that a call crosses. */
export interface Crossed {
  /** Relative to the root, with slashes. */
  readonly file: string
  readonly functions: ReadonlyArray<string>
}

const warmUps = 4

const [name = "", baseUrl = ""] = process.argv.slice(2)
const { answers = {}, ends, run }: Traced = calls[name as CallName]
const folder = mkdtempSync(join(tmpdir(), "trace-"))
const runtime = ManagedRuntime.make(layer(baseUrl, folder))

let runs = 0
const callOnce = async (before: () => Promise<unknown>): Promise<void> => {
  await fetch(`${baseUrl}/control`, { method: "POST", body: JSON.stringify(answers) })
  const effect = run(++runs)
  await before()
  const exit = await runtime.runPromiseExit(Effect.timeout(effect, "1 minute"))
  const error = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.findErrorOption(exit.cause)) : undefined
  const ended = Exit.isSuccess(exit) ? "Success" : (error?._tag ?? "Defect")
  if (ended !== ends) throw new Error(`${name} ended with ${ended}, not with ${ends}`, { cause: exit })
}

const session = new Session()

const isOurs = ({ url }: Profiler.ScriptCoverage): boolean => /\/packages\/(?:extensions\/)?[^/]+\/src\//.test(url)

const functionsRun = async (): Promise<ReadonlyArray<Profiler.ScriptCoverage>> => {
  await session.post("Profiler.enable")
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })
  // Each reading starts to count anew.
  await callOnce(() => session.post("Profiler.takePreciseCoverage"))
  const { result } = await session.post("Profiler.takePreciseCoverage")
  await session.post("Profiler.stopPreciseCoverage")
  const hasRun = ({ ranges }: Profiler.FunctionCoverage) => ranges.some(({ count }) => count > 0)
  return result
    .filter(isOurs)
    .map((script) => ({ ...script, functions: script.functions.filter(hasRun) }))
    .filter(({ functions }) => functions.length > 0)
}

/** The ids of scripts, in the order in which the call enters them. */
const entered = new Set<string>()
Object.assign(globalThis, { enter: (scriptId: string) => void entered.add(scriptId) })

const setBreakpoints = async ({ functions, scriptId }: Profiler.ScriptCoverage): Promise<void> => {
  const { scriptSource } = await session.post("Debugger.getScriptSource", { scriptId })
  const locationAt = (offset: number) => {
    const lines = scriptSource.slice(0, offset).split("\n")
    return { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 }
  }
  for (const { ranges } of functions) {
    const [range = { startOffset: 0, endOffset: 0 }] = ranges
    const { locations } = await session.post("Debugger.getPossibleBreakpoints", {
      start: locationAt(range.startOffset),
      end: locationAt(range.endOffset),
      restrictToFunction: true
    })
    const [location] = locations
    if (location === undefined) continue
    const { columnNumber, lineNumber } = location
    const condition = `enter("${scriptId}")`
    await session.post("Debugger.setBreakpoint", {
      location: columnNumber === undefined ? { scriptId, lineNumber } : { scriptId, lineNumber, columnNumber },
      condition
    })
  }
}

const trace = async (): Promise<ReadonlyArray<Crossed>> => {
  session.connect()
  if (name === "payout") runtime.runFork(Payouts.run)
  for (let nth = 0; nth < warmUps; nth++) await callOnce(async () => {})
  const scripts = await functionsRun()
  await session.post("Debugger.enable")
  for (const script of scripts) await setBreakpoints(script)
  await callOnce(async () => entered.clear())
  const order = new Map([...entered].map((scriptId, at) => [scriptId, at]))
  const place = ({ scriptId }: Profiler.ScriptCoverage): number => order.get(scriptId) ?? order.size
  return scripts
    .toSorted((a, b) => place(a) - place(b))
    .map(({ functions, url }) => ({
      file: relative(root, fileURLToPath(url)).replaceAll(sep, "/"),
      functions: functions.map(({ functionName }) => functionName || "(anonymous)")
    }))
}

const crossed = await trace()
await runtime.dispose()
rmSync(folder, { recursive: true })
process.send?.(crossed, () => process.exit())
