/** What the tools notice of mistaken adapters. */
import { Amount, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, TokenStore, Transactions } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Runtime from "effect/Runtime"
import { execFile } from "node:child_process"
import * as Path from "node:path"
import { custody } from "../../packages/extensions/cli/test/runCustody.ts"
import { frontServer } from "../support/servers/dialects/front.ts"
import type { Subject } from "./subject.ts"

const root = `${import.meta.dirname}/../..`

/** What `contract check` says of a file: that the contract is invalid, or at what to look. */
export const check = Effect.fnUntraced(function* (file: string) {
  const { fails, said } = yield* custody(["contract", "check", file])
  return fails ? said : said.split("\n").find((line) => line.startsWith("look: "))
})

/** The files that do not compile. */
export const refusedByCompiler = Effect.fnUntraced(function* (all: ReadonlyArray<string>) {
  const files = yield* FileSystem.FileSystem
  const config = `${Path.dirname(all[0]!)}/tsconfig.json`
  const compilerOptions = { noEmit: true, composite: false }
  const include = all.map((file) => Path.basename(file))
  yield* files.writeFileString(
    config,
    JSON.stringify({ extends: `${root}/tsconfig.base.json`, compilerOptions, include })
  )
  const said = yield* Effect.callback<string>((resume) => {
    const done = (_: unknown, stdout: string) => resume(Effect.succeed(stdout))
    const compiler = `${root}/node_modules/typescript/bin/tsc`
    execFile(process.execPath, [compiler, "-p", config], { maxBuffer: 2 ** 26 }, done)
  })
  return new Set(all.filter((file) => said.includes(`${Path.basename(file)}(`)))
})

/** A service with payouts of two clients in two assets, five seconds apart. */
export const openService = Effect.fnUntraced(function* (subject: Pick<Subject, "service">) {
  const { baseUrl, failNext, fund, issueApiKey } = yield* CustodyEmulator
  const pay = Effect.forEach(
    [
      ["alice", "usdc", Amount.of("1.50")],
      ["bob", "usdt", Amount.of("2.50")],
      ["alice", "usdt", Amount.of("3.50")]
    ] as const,
    ([clientId, assetId, amount], index) =>
      Transactions.send({ clientId, assetId, to: `0x${index}`, amount, note: `n${index}` })
  )
  yield* Effect.gen(function* () {
    for (const clientId of ["alice", "bob"]) {
      for (const assetId of ["usdc", "usdt"]) yield* fund({ clientId, assetId, amount: "1000" })
    }
    yield* failNext({ end: "ERROR", times: 1 })
    yield* pay
    yield* Effect.sleep("5 seconds")
    yield* pay
    yield* Effect.sleep("1 second")
  }).pipe(
    Effect.provide(
      Custody.layer({ environment: Environment.emulator(baseUrl), apiKey: yield* issueApiKey() }).pipe(
        Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
      )
    )
  )
  return { baseUrl: yield* frontServer(subject.service, baseUrl), issueApiKey }
})

type Opened = Effect.Success<ReturnType<typeof openService>>

/** What `contract probe` ends with. */
export const probe = Effect.fnUntraced(function* ({ baseUrl, issueApiKey }: Opened, file: string) {
  const files = yield* FileSystem.FileSystem
  const { failure, said } = yield* custody(["contract", "probe", "--yes", "--contract", file], {
    CUSTODY_BASE_URL: baseUrl,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_API_KEY: Redacted.value(yield* issueApiKey()),
    CUSTODY_SESSION_FILE: `${yield* files.makeTempDirectoryScoped()}/session.db`
  })
  const exitCode = failure === undefined ? 0 : Runtime.getErrorExitCode(failure)
  return { notice: exitCode === 0 ? undefined : exitCode === 2 ? "look" : "fails", said }
}, Effect.scoped)
