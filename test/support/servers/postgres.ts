/**
 * A PostgreSQL for tests: the server of CUSTODY_TEST_DATABASE_URL, whose user may create databases, or a server that lives
 * as long as the scope.
 */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as SecureRandom from "effect/crypto/SecureRandom"
import type * as SqlClient from "effect/sql/SqlClient"
import { execFileSync, spawn } from "node:child_process"
import * as Fs from "node:fs"
import * as Path from "node:path"
import {
  initialise,
  isInstalled,
  serve,
  serverFolder,
  serverUser,
  urlAt
} from "../../../examples/starter/test/postgres.ts"
import { endWithUs } from "./endWithUs.ts"
import { freePort } from "./ports.ts"
import { temporaryDirectory } from "./sqlitePlace.ts"

/** An asynchronous commit stays unwritten as long as possible, so that a test shows a store that relies on it. */
const settings = ["max_connections=200", "wal_writer_delay=10s"]

/** Starts a server of `initialise` until the scope or this process ends. */
export const startServer = Effect.fnUntraced(function* (folder: string, data: string, port: number) {
  const child = yield* serve(folder, data, port, settings)
  yield* endWithUs(child.pid!)
  return child
})

const started = Effect.gen(function* () {
  const folder = yield* serverFolder
  const data = Path.join(folder, "data")
  const port = yield* freePort
  yield* initialise(folder, data)
  yield* startServer(folder, data, port)
  return urlAt(port)
})

/** Connects, for one piece of work. */
export const query = <A, E>(url: string, work: (sql: SqlClient.SqlClient) => Effect.Effect<A, E>) =>
  Effect.flatMap(PgClient.PgClient, work).pipe(
    Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 }), { local: true }),
    Effect.orDie
  )

/** Changes the database or other parts of an address. */
export const at = (
  url: string,
  parts: { readonly database?: string; readonly port?: number; readonly user?: string }
) => {
  const other = new URL(url)
  if (parts.database !== undefined) other.pathname = `/${parts.database}`
  if (parts.port !== undefined) [other.hostname, other.port] = ["127.0.0.1", `${parts.port}`]
  if (parts.user !== undefined) other.username = parts.user
  return other.href
}

const given = process.env.CUSTODY_TEST_DATABASE_URL

/** `true` if a server is available. */
export const hasPostgres = given !== undefined || isInstalled

/** The address of a server that can create databases. */
export const postgresServer = given === undefined ? started : Effect.succeed(given)

/** Creates an empty database on a server until the scope ends. Returns its address. */
export const emptyDatabase = (server: string) =>
  Effect.suspend(() => {
    const database = `custody_${SecureRandom.uuidV4Unsafe().replaceAll("-", "")}`
    return Effect.as(
      Effect.acquireRelease(
        query(server, (sql) => sql.unsafe(`CREATE DATABASE ${database}`)),
        () => query(server, (sql) => sql.unsafe(`DROP DATABASE ${database} WITH (FORCE)`))
      ),
      at(server, { database })
    )
  })

/** `true` if this machine has a PgBouncer. */
export const hasPgBouncer = (() => {
  try {
    execFileSync("pgbouncer", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
})()

/** Starts a PgBouncer before a server that shares two connections by transaction. Returns its address. */
export const pgBouncer = (server: string) =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const port = yield* freePort
    const { hostname, password, port: serverPort, username } = new URL(server)
    const config = Path.join(directory, "pgbouncer.ini")
    const login = `user=${decodeURIComponent(username)} password=${decodeURIComponent(password)}`
    Fs.writeFileSync(
      config,
      `[databases]
* = host=${hostname} port=${serverPort === "" ? 5432 : serverPort} ${login}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = 2
server_login_retry = 1
`
    )
    Fs.chmodSync(directory, 0o755)
    const bouncer = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<ReturnType<typeof spawn>>((resolve, reject) => {
            // PgBouncer refuses to run as root, too.
            const bouncer = spawn("pgbouncer", [config], { stdio: ["ignore", "ignore", "pipe"], ...serverUser })
            let said = ""
            bouncer.once("error", reject)
            bouncer.once("exit", () => reject(new Error(said)))
            bouncer.stderr.on("data", (chunk: Buffer) => {
              said += chunk.toString()
              if (said.includes("process up")) resolve(bouncer)
            })
          })
      ),
      (bouncer) =>
        Effect.promise(
          () =>
            new Promise((resolve) => {
              bouncer.once("exit", resolve)
              bouncer.kill("SIGKILL")
            })
        )
    )
    yield* endWithUs(bouncer.pid!)
    return (url: string) => at(url, { port })
  })
