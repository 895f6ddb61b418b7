/** A signal ends the command during a call or during the exchange of an API key. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { chmodSync } from "node:fs"
import type { ServerResponse } from "node:http"
import * as Path from "node:path"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import { json, wireServer } from "../support/servers/wireServer.ts"
import * as Program from "../support/childProgram.ts"

const data = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4102444800000, vaultId: 1 }
const tokens = json(201, { message: "ok", data, status: 201 })

/** A service that holds back its answers to what is named, and the command with a session file of its own. */
const place = Effect.fnUntraced(function* (held: string) {
  const arrived = yield* Deferred.make<ServerResponse>()
  const server = yield* wireServer(({ target }) => {
    if (target.endsWith(held)) return (response) => void Deferred.doneUnsafe(arrived, Effect.succeed(response))
    if (target.endsWith("/generate-tokens")) return tokens
    return json(200, { message: "ok", data: { id: 1 }, status: 200 })
  })
  const sessionFile = Path.join(yield* temporaryDirectory, "session.db")
  const env = {
    CUSTODY_BASE_URL: server.baseUrl,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_SESSION_FILE: sessionFile,
    CUSTODY_API_KEY: "key-0"
  }
  const start = (...args: ReadonlyArray<string>) => Program.start([Program.custody, ...args], env)
  return { arrived: Deferred.await(arrived), sessionFile, start }
})

const send = ["call", "transactions.send", "clientId=alice", "assetId=usdc", "to=0x2", "amount=1", "--yes"]

describe("custody call", () => {
  it.live.each(["SIGTERM", "SIGINT"] as const)(
    "custody call exits with 130 if %s interrupts a write, and warns that the write may have taken effect",
    (signal) =>
      Effect.gen(function* () {
        const { arrived, start } = yield* place("/transactions/send")
        yield* Effect.flatMap(start("session", "start"), ({ ended }) => ended)
        const call = yield* start(...send)
        yield* arrived
        yield* call.kill(signal)
        const { code, errors, output } = yield* call.result
        assert.deepStrictEqual([code, output], [130, ""])
        assert.include(errors, "may have taken effect")
      })
  )

  it.live("custody call prints only JSON to standard output, and warnings to standard error", () =>
    Effect.gen(function* () {
      const { sessionFile, start } = yield* place("nothing")
      yield* Effect.flatMap(start("session", "start"), ({ ended }) => ended)
      chmodSync(sessionFile, 0o644)
      const { code, errors, output } = yield* Effect.flatMap(start("call", "vaults.details"), ({ result }) => result)
      assert.strictEqual(code, 0, errors)
      assert.strictEqual(JSON.parse(output).id, "1")
      assert.include(errors, "The session file could be read by others")
    })
  )
})

describe("custody session start", () => {
  it.live.each<readonly [how: string, answer: (response: ServerResponse) => void, state: string]>([
    ["arrives", tokens, "serving"],
    ["is lost", (response) => response.destroy(), "ambiguous"]
  ])("custody session start names the doctor if a signal interrupts it and the answer %s", ([, answer, state]) =>
    Effect.gen(function* () {
      const { arrived, start } = yield* place("/generate-tokens")
      const starting = yield* start("session", "start")
      const response = yield* arrived
      yield* starting.kill("SIGINT")
      yield* Effect.sleep("100 millis")
      answer(response)
      const { code, errors, output } = yield* starting.result
      assert.deepStrictEqual([code, output], [130, ""])
      assert.include(errors, "interrupted; the API key may be spent: custody session doctor shows what is stored")
      assert.notInclude(errors, "key-0")
      const { output: status } = yield* (yield* start("session", "status")).result
      assert.match(status, new RegExp(`^state +${state}$`, "m"))
    })
  )
})
