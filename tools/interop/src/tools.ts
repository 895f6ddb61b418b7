/** The programs of others, as child processes. */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { type ChildProcess, spawn } from "node:child_process"
import * as Path from "node:path"
import { stripVTControlCharacters } from "node:util"

/** The folder of this workspace. */
export const home = Path.resolve(import.meta.dirname, "..")

/** What `pnpm interop` writes. */
export const generated = Path.join(home, "generated")

/** The document that every tool reads: the API as it is assumed. */
export const document = Path.join(generated, "openapi.json")

/** What a tool or a check says against the document. */
export class Objection extends Data.TaggedError("Objection")<{ readonly message: string }> {
  static readonly of = (message: string): Objection => new Objection({ message })
}

const start = (tool: string, args: ReadonlyArray<string>): ChildProcess =>
  spawn(Path.join(home, "node_modules/.bin", tool), args, {
    cwd: home,
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NO_COLOR: "1", REDOCLY_TELEMETRY: "off", REDOCLY_SUPPRESS_UPDATE_NOTICE: "true" }
  })

const follow = (child: ChildProcess, onText: (text: string) => void): void => {
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding("utf8").on("data", (text: string) => onText(stripVTControlCharacters(text)))
  }
}

/** Ends a tool and what it has started: its programs are a process group. */
const end = (child: ChildProcess): Effect.Effect<void> =>
  Effect.callback((resume) => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return resume(Effect.void)
    child.once("close", () => resume(Effect.void))
    process.kill(-child.pid, "SIGKILL")
  })

/** Runs a tool to its end. Fails with what it said if it exits with anything but 0. */
export const run = (tool: string, ...args: ReadonlyArray<string>): Effect.Effect<string, Objection> =>
  Effect.callback((resume) => {
    const child = start(tool, args)
    let said = ""
    follow(child, (text) => {
      said += text
    })
    child.once("error", (error) => resume(Effect.fail(Objection.of(`${tool}: ${error.message}`))))
    child.once("close", (code) =>
      resume(code === 0 ? Effect.succeed(said) : Effect.fail(Objection.of(`${tool} exited with ${code}:\n${said}`)))
    )
    return end(child)
  })

/** A Prism server. */
export interface Prism {
  readonly url: string
  /** What it has said so far, line by line. */
  readonly lines: () => ReadonlyArray<string>
}

/** Starts Prism on a free port of the loopback, until the scope ends. */
export const prism = (...args: ReadonlyArray<string>): Effect.Effect<Prism, Objection, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => start("prism", [...args, "--host", "127.0.0.1", "--port", "0"])),
    end
  ).pipe(
    Effect.flatMap((child) =>
      Effect.callback<Prism, Objection>((resume) => {
        let said = ""
        follow(child, (text) => {
          said += text
          const url = /Prism is listening on (http:\S+)/.exec(said)?.[1]
          if (url !== undefined) resume(Effect.succeed({ url, lines: () => said.split("\n") }))
        })
        child.once("error", (error) => resume(Effect.fail(Objection.of(`prism: ${error.message}`))))
        child.once("close", () => resume(Effect.fail(Objection.of(`prism ended:\n${said}`))))
      })
    )
  )
