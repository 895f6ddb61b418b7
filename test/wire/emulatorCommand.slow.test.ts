/** Runs the command of the emulator as a process. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { execFileSync } from "node:child_process"
import { readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const post = (url: string, body: object) => Program.request(url, "POST", body)

/** The emulator, its address and a key of it. */
const started = Effect.fnUntraced(function* (...flags: ReadonlyArray<string>) {
  const program = yield* Program.start([Program.emulator, ...flags])
  const baseUrl = yield* program.saying(/custody-emulator listening on (http:\/\/127\.0\.0\.1:\d+\/api\/integration)\n/)
  return { ...program, baseUrl, apiKey: yield* program.saying(/API key: (ak_\w{40})\n/) }
})

describe("custody-emulator", () => {
  it.live.each(["SIGTERM", "SIGINT"] as const)(
    "the emulator prints its address, a key, each request and fault, and exits with 0 on %s",
    (signal) =>
      Effect.gen(function* () {
        const emulator = yield* started("--token-lifetime", "2 seconds", "--seed", "5")
        const fault = {
          name: "throttled",
          reach: "Received",
          ending: { _tag: "Replacement", status: 429, headers: {}, body: "{}" }
        }
        const { apiKey, baseUrl } = emulator
        yield* post(new URL("/emulator/faults", baseUrl).href, { operation: "*", fault })
        yield* post(`${baseUrl}/auth/generate-tokens`, { apiKey })
        yield* emulator.saying(/ 429 {2}POST .*fault: throttled/)
        const before = yield* Clock.currentTimeMillis
        const { data } = (yield* post(`${baseUrl}/auth/generate-tokens`, { apiKey })).body
        const after = yield* Clock.currentTimeMillis
        assert.isAtLeast(data.expiresAt, before + 2_000)
        assert.isAtMost(data.expiresAt, after + 2_000)
        yield* emulator.saying(/ 201 {2}POST {4}\/auth\/generate-tokens/)
        yield* emulator.kill(signal)
        const { code, errors } = yield* emulator.result
        assert.deepStrictEqual([code, errors], [0, ""])
      })
  )

  it.live("the command that the emulator prints prints another key, and nothing else", () =>
    Effect.gen(function* () {
      const emulator = yield* started("--quiet")
      const command = yield* emulator.saying(/^Another key: (.+)$/m)
      const printed = yield* Effect.sync(() => execFileSync("sh", ["-c", command], { encoding: "utf8" }))
      assert.match(printed, /^ak_\w{40}\n$/)
      assert.notStrictEqual(printed.trim(), emulator.apiKey)
    })
  )

  it.live("the emulator exits with a reason if its port is taken or an option is invalid", () =>
    Effect.gen(function* () {
      const first = yield* started("--quiet")
      const taken = yield* Program.run([Program.emulator, "--port", new URL(first.baseUrl).port])
      assert.strictEqual(taken.code, 1)
      assert.match(taken.errors, /address already in use/)
      const wrong = yield* Program.run([Program.emulator, "--token-lifetime", "soon"])
      assert.strictEqual(wrong.code, 1)
      assert.include(wrong.errors, "--token-lifetime")
      const unknown = yield* Program.run([Program.emulator, "--latncy", "200"])
      assert.deepStrictEqual([unknown.code, unknown.output], [1, ""])
      assert.match(unknown.errors, /^custody-emulator: there is no option --latncy, did you mean --latency\?.*\n$/)
    })
  )

  it.live.each(["200 millis", "0.2 seconds"])("the emulator delays every answer by --latency %s", (latency) =>
    Effect.gen(function* () {
      const { baseUrl } = yield* started("--quiet", "--latency", latency)
      const before = yield* Clock.currentTimeMillis
      yield* post(`${baseUrl}/auth/generate-tokens`, {})
      assert.isAtLeast((yield* Clock.currentTimeMillis) - before, 199)
    })
  )

  it.live("the emulator continues from its snapshot, and leaves an unreadable snapshot unchanged", () =>
    Effect.gen(function* () {
      const file = Path.join(yield* temporaryDirectory, "snapshot.json")
      const first = yield* started("--snapshot", file)
      const { body } = yield* post(`${first.baseUrl}/auth/generate-tokens`, { apiKey: first.apiKey })
      yield* first.kill("SIGTERM")
      assert.strictEqual(yield* first.ended, 0)
      const second = yield* started("--snapshot", file)
      assert.notStrictEqual(second.apiKey, first.apiKey)
      const refreshed = yield* post(`${second.baseUrl}/auth/refresh-token`, { refreshToken: body.data.refreshToken })
      assert.strictEqual(refreshed.status, 201)
      yield* second.kill("SIGTERM")
      yield* second.ended
      writeFileSync(file, "spoilt")
      const third = yield* Program.run([Program.emulator, "--snapshot", file])
      assert.strictEqual(third.code, 1)
      assert.include(third.errors, file)
      assert.strictEqual(readFileSync(file, "utf8"), "spoilt")
    })
  )
})
