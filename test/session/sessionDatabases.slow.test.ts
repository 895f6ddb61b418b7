/** `custody session` on PostgreSQL and on Redis, as a process. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { emptyDatabase, hasPostgres, postgresServer, query } from "../support/servers/postgres.ts"
import { hasRedis, redisServer, withRedis } from "../support/servers/redis.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

type Env = Readonly<Record<string, string>>

/** Text that needs percent-encoding. */
const password = "s3cret/p@ss"

const signIn = (url: string, user: string, secret = password) => {
  const signedIn = new URL(url)
  signedIn.username = user
  signedIn.password = encodeURIComponent(secret)
  return signedIn.href
}

/** The command in a directory of its own. All that it prints is kept. */
const makeCustody = Effect.fnUntraced(function* (env: Env) {
  const directory = yield* temporaryDirectory
  const printed: Array<string> = []
  const custody = Effect.fnUntraced(function* (code: number, args: string | ReadonlyArray<string>, more: Env = {}) {
    const all = typeof args === "string" ? args.split(" ") : args
    const ran = yield* Program.run([Program.custody, ...all], { ...env, ...more }, directory)
    const text = `${ran.output}${ran.errors}`
    printed.push(text)
    assert.strictEqual(ran.code, code, `${all.join(" ")}: ${text}`)
    return text
  })
  return { custody, directory, printed }
})

/** Starts, shows, examines and encrypts a session in a database. Its name is its address without the password. */
const lifeOfSession = Effect.fnUntraced(function* (url: string, name: string) {
  const emulator = yield* CustodyEmulator
  const env = { CUSTODY_BASE_URL: emulator.baseUrl, CUSTODY_ENVIRONMENT: "emulator", CUSTODY_SESSION_URL: url }
  const { custody, printed } = yield* makeCustody(env)
  const withApiKey = { CUSTODY_API_KEY: Redacted.value(yield* emulator.issueApiKey()) }

  assert.include(yield* custody(1, "session status"), `${name} has no session`)
  assert.include(yield* custody(1, "session doctor"), "the database has no session of this name")
  assert.match(yield* custody(0, "session start", withApiKey), /^state +serving$/m)
  assert.include(yield* custody(1, "session start", withApiKey), `"default" in ${name} has not ended`)
  assert.include(yield* custody(0, "call vaults.details"), '"name": "Vault 1"')
  const twice = yield* custody(1, "call vaults.details", { CUSTODY_SESSION_FILE: "session.db" })
  assert.include(twice, "both a file (session.db) and a database are named")
  assert.include((yield* custody(0, "session doctor")).replaceAll(/ +/g, " "), `database ${name}`)

  const withKey = { CUSTODY_SESSION_KEY: randomBytes(32).toString("base64") }
  assert.include(yield* custody(0, "session encrypt --yes", withKey), "is encrypted")
  assert.match(yield* custody(0, "session status", withKey), /^state +serving$/m)

  const wrong = new URL(url)
  wrong.password = "wr0ng-password"
  const refused = yield* custody(1, ["session", "doctor", "--database-url", wrong.href])
  assert.match(refused, /cannot be opened(: the password is wrong \(SQLSTATE 28P01\)| \(WRONGPASS\))/)
  for (const secret of [password, encodeURIComponent(password), "wr0ng"]) assert.notInclude(printed.join(), secret)
})

const onEmulator = Effect.provide(CustodyEmulator.layerServer(), { local: true })

describe("custody session in a database", () => {
  it.live.skipIf(!hasPostgres)("the commands start, show, examine and encrypt a session in PostgreSQL", () =>
    Effect.gen(function* () {
      const url = yield* emptyDatabase(yield* postgresServer)
      const user = `app_${randomBytes(8).toString("hex")}`
      const run = (...statements: ReadonlyArray<string>) =>
        query(url, (sql) => Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true }))
      yield* Effect.acquireRelease(
        run(`CREATE ROLE ${user} LOGIN PASSWORD '${password}'`, `GRANT CREATE, USAGE ON SCHEMA public TO ${user}`),
        () => run(`DROP OWNED BY ${user}`, `DROP ROLE ${user}`)
      )
      const { host, pathname } = new URL(url)
      yield* lifeOfSession(signIn(url, user), `${host}${pathname}`)
    }).pipe(onEmulator)
  )

  it.live.skipIf(!hasRedis)(withRedis("the commands start, show, examine and encrypt a session in Redis"), () =>
    Effect.gen(function* () {
      const { command, url } = yield* redisServer()
      yield* command("ACL", "SETUSER", "app", "on", `>${password}`, "~*", "+@all")
      yield* lifeOfSession(signIn(url, "app"), new URL(url).host)
    }).pipe(onEmulator)
  )

  it.live("a command says which package a database needs, if it is not installed", () =>
    Effect.gen(function* () {
      const { custody, directory } = yield* makeCustody({})
      const hooks = Path.join(directory, "hooks.mjs")
      writeFileSync(
        hooks,
        `import { registerHooks } from "node:module"
        const absent = /^(redis|@effect\\/sql-pg)(\\/|$)/
        registerHooks({ resolve: (name, context, next) => next(absent.test(name) ? "absent-" + name.replace("@", "") : name, context) })`
      )
      const env = { NODE_OPTIONS: `--import=${pathToFileURL(hooks).href}` }
      for (const [command, name] of [
        ["session status --database-url redis://127.0.0.1:1", "redis"],
        ["payouts status --database-url postgres://127.0.0.1:1/db", "@effect/sql-pg"]
      ] as const) {
        assert.include(yield* custody(1, command, env), `which is not installed: npm install ${name}`)
      }
    })
  )
})
