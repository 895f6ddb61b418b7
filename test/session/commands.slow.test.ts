/** Runs the command as a process: files, streams and exit codes. */
import { TokenStore } from "@effect-custody/authentication"
import { TokenStoreSqlite } from "@effect-custody/node"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Option, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const count = CustodyApi.operations.length

type Env = Readonly<Record<string, string>>

/** A directory in which the command runs. */
const place = Effect.map(temporaryDirectory, (directory) => ({
  path: (name: string) => Path.join(directory, name),
  read: (name: string) => readFileSync(Path.join(directory, name), "utf8"),
  writeText: (name: string, text: string) => writeFileSync(Path.join(directory, name), text),
  /** All bytes of the files. */
  bytes: () => readdirSync(directory).map((name) => readFileSync(Path.join(directory, name), "latin1")),
  custody: (command: string, env: Env = {}) => Program.run([Program.custody, ...command.split(" ")], env, directory)
}))

/** The record of a session file, with its tokens. */
const stored = (path: string) =>
  TokenStore.use((store) => store.load("default")).pipe(
    Effect.map((found) => Option.getOrThrow(found).record),
    Effect.provide(TokenStoreSqlite.layer({ filename: path }))
  )

const right = `import { Adapter } from "@effect-custody/contract"
import { Clients, Wallets } from "@effect-custody/sdk"
export default Adapter.layer([Adapter.assumed(Wallets.list), Adapter.assumed(Clients.list), Adapter.assumed(Clients.create)])
`

describe("custody contract", () => {
  it.live("custody contract lists the operations, and names the mistake of a file, wherever it lies", () =>
    Effect.gen(function* () {
      const { custody, writeText } = yield* place
      const listed = yield* custody("contract list")
      assert.strictEqual(listed.code, 0)
      assert.match(listed.output, /^transactions\.send +POST \/transactions\/send +assumed$/m)
      assert.isTrue(listed.output.endsWith(`\n${count} operations: 3 specified, ${count - 3} assumed\n`))

      writeText("custody.contract.ts", right)
      const valid = yield* custody("contract check")
      assert.strictEqual(valid.code, 0, valid.errors)
      assert.include(valid.output, "custody.contract.ts is valid: it confirms 3 operations")

      writeText("wrong.ts", "export default { operations: {} }")
      const wrong = yield* custody("contract check wrong.ts")
      assert.deepInclude(wrong, { code: 1, output: "" })
      assert.include(wrong.errors, "wrong.ts must export a layer of adapters: export default Adapter.layer([…])")
      assert.strictEqual((yield* custody("contract check elsewhere.ts")).code, 1)
    })
  )

  it.live("the commands lead from a contract file to a call: check, session, probe, call", () =>
    Effect.gen(function* () {
      const { custody, writeText } = yield* place
      const emulator = yield* Program.startEmulator()
      const env: Env = {
        CUSTODY_BASE_URL: emulator.baseUrl,
        CUSTODY_ENVIRONMENT: "emulator",
        CUSTODY_SESSION_FILE: "session.db",
        CUSTODY_CONTRACT_FILE: "custody.contract.ts"
      }
      const run = Effect.fnUntraced(function* (command: string, more: Env = {}) {
        const { code, errors, output } = yield* custody(command, { ...env, ...more })
        assert.strictEqual(code, 0, `${command}: ${errors}`)
        return output
      })
      writeText("custody.contract.ts", right)
      assert.include(yield* run("contract check"), "confirms 3 operations")
      yield* run("session start", { CUSTODY_API_KEY: emulator.apiKey })
      const unasked = yield* custody("contract probe", env)
      assert.include(unasked.errors, "use --yes. Nothing was done")
      assert.include(yield* run("contract probe --yes"), "0 failed")
      assert.strictEqual(JSON.parse(yield* run("call clients.create externalId=alice --yes")).externalId, "alice")
    })
  )
})

describe("custody openapi", () => {
  it.live("custody openapi prints the document of the assumed wire", () =>
    Effect.gen(function* () {
      const { custody } = yield* place
      const { openapi, paths } = JSON.parse((yield* custody("openapi")).output)
      assert.strictEqual(openapi, "3.1.0")
      assert.strictEqual(Object.values<object>(paths).flatMap(Object.keys).length, count)
    })
  )
})

describe("custody session and custody call", () => {
  it.live("the commands start a session with one exchange of the key, show it without secrets, and call with it", () =>
    Effect.gen(function* () {
      const { custody, path } = yield* place
      const { apiKey, baseUrl } = yield* Program.startEmulator()
      const env = { CUSTODY_BASE_URL: baseUrl, CUSTODY_ENVIRONMENT: "emulator", CUSTODY_SESSION_FILE: "session.db" }
      let said = ""
      const run = Effect.fnUntraced(function* (expected: number, command: string, more: Env = {}) {
        const { code, errors, output } = yield* custody(command, { ...env, ...more })
        assert.strictEqual(code, expected, `${command}: ${errors}`)
        said += output + errors
        return code === 0 ? output : errors
      })
      const withKey = { CUSTODY_API_KEY: apiKey }
      yield* run(1, "session status")
      assert.include(yield* run(1, "session start"), "api-key")
      const started = JSON.parse(yield* run(0, "session start --json", withKey))
      assert.deepInclude(started, { state: "serving", generation: 0, spentKeys: 1 })
      assert.include(yield* run(1, "session start", withKey), "the API key was not sent")
      assert.match(yield* run(0, "session status"), /^state +serving$/m)
      yield* run(0, "session doctor")
      assert.include(yield* run(1, "call clients.create externalId=bob"), "use --yes. Nothing was done")
      yield* run(0, "call clients.create externalId=alice --yes")
      assert.include(yield* run(1, "call clients.get externalId=nobody"), "NotFound")

      const { session } = yield* stored(path("session.db"))
      for (const secret of [apiKey, Redacted.value(session!.accessToken), Redacted.value(session!.refreshToken)]) {
        assert.isAbove(secret.length, 16)
        assert.notInclude(said, secret)
      }
    })
  )

  it.live("custody session encrypt encrypts a session in clear text, and leaves none of its tokens in the files", () =>
    Effect.gen(function* () {
      const { bytes, custody, path } = yield* place
      const { apiKey, baseUrl } = yield* Program.startEmulator()
      const env = { CUSTODY_BASE_URL: baseUrl, CUSTODY_ENVIRONMENT: "emulator", CUSTODY_SESSION_FILE: "session.db" }
      const withKey = { ...env, CUSTODY_SESSION_KEY: randomBytes(32).toString("base64") }
      assert.strictEqual((yield* custody("session start", { ...env, CUSTODY_API_KEY: apiKey })).code, 0)
      const { session } = yield* stored(path("session.db"))
      const token = Redacted.value(session!.refreshToken)
      assert.include((yield* custody("session encrypt --yes", env)).errors, "CUSTODY_SESSION_KEY is not set")
      assert.include((yield* custody("session encrypt", withKey)).errors, "use --yes. Nothing was done")
      assert.include(bytes().join(), token)

      assert.strictEqual((yield* custody("session encrypt --yes", withKey)).code, 0)
      assert.notInclude(bytes().join(), token)
      assert.notInclude(bytes().join(), Redacted.value(session!.accessToken))
      assert.strictEqual((yield* custody("call vaults.details", withKey)).code, 0)
      assert.include(
        (yield* custody("call vaults.details", env)).errors,
        "the record is encrypted, and no key is given"
      )
    })
  )

  it.live("custody session encrypt changes nothing while a process rotates the session", () =>
    Effect.gen(function* () {
      const { custody, path } = yield* place
      // Ahead of the command, which takes its time to start.
      const lease = { owner: "payouts-1", renewedAt: (yield* Clock.currentTimeMillis) + 60_000 }
      const record = { environment: "http://127.0.0.1:1/api", spentKeys: [], lease }
      yield* TokenStore.use((store) => store.compareAndSwap("default", 0, record)).pipe(
        Effect.provide(TokenStoreSqlite.layer({ filename: path("session.db") }))
      )
      const key = randomBytes(32).toString("base64")
      const env = { CUSTODY_SESSION_FILE: "session.db", CUSTODY_SESSION_KEY: key }
      const { code, errors } = yield* custody("session encrypt --yes", env)
      assert.strictEqual(code, 1)
      assert.include(errors, "payouts-1 is rotating it: stop every process that uses it")
    })
  )
})
