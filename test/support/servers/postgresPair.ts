/** A PostgreSQL with a standby, which can take over. */
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { type ChildProcess, execFileSync } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { initialise, serverFolder, urlAt } from "../../../examples/starter/test/postgres.ts"
import { movableAddress } from "./movableAddress.ts"
import { freePort } from "./ports.ts"
import { query, startServer } from "./postgres.ts"

/** One of the two servers. */
interface Node {
  readonly directory: string
  readonly port: number
  /** Starts it, and waits until it can be read. */
  readonly start: Effect.Effect<void>
  /** Ends it without a checkpoint, as a crash does. */
  readonly crash: Effect.Effect<void>
}

/** Writes a file of a server, for the user of the server. */
const write = ({ directory }: Node, name: string, text: string) => {
  const { gid, uid } = Fs.statSync(directory)
  const file = Path.join(directory, name)
  Fs.writeFileSync(file, text)
  Fs.chownSync(file, uid, gid)
}

const untilTrue = (port: number, condition: string) =>
  query(urlAt(port), (sql) => sql.unsafe<{ readonly holds: boolean }>(`SELECT (${condition}) AS holds`)).pipe(
    Effect.timeout("5 seconds"),
    Effect.catchCause(() => Effect.succeed([{ holds: false }])),
    Effect.repeat({ until: ([row]) => row!.holds, schedule: Schedule.spaced("50 millis") })
  )

/** Starts a primary and its standby, which live as long as the scope. The standby is synchronous without a lag. */
const makePair = Effect.fnUntraced(function* (lag?: number) {
  const scope = yield* Effect.scope
  const folder = yield* serverFolder
  let nodes = 0
  const makeNode = Effect.gen(function* () {
    const directory = Path.join(folder, `data-${nodes++}`)
    const port = yield* freePort
    let child: ChildProcess | undefined
    const start = Effect.map(startServer(folder, directory, port), (started) => {
      child = started
    }).pipe(Scope.provide(scope))
    const crash = Effect.promise(async () => {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, "exit")
      child.kill("SIGQUIT")
      await exited
    })
    return { directory, port, start, crash } satisfies Node
  })

  /** Copies a running primary into a server that starts as a signal file and settings say. */
  const copy = Effect.fnUntraced(function* (primary: Node, signal: string) {
    const node = yield* makeNode
    yield* query(urlAt(primary.port), (sql) =>
      Effect.gen(function* () {
        yield* sql.unsafe("SELECT pg_backup_start('copy', true)::text")
        execFileSync("cp", ["-a", primary.directory, node.directory])
        const [stop] = yield* sql.unsafe<{ readonly labelfile: string }>("SELECT labelfile FROM pg_backup_stop(false)")
        Fs.rmSync(Path.join(node.directory, "postmaster.pid"))
        write(node, "backup_label", stop!.labelfile)
        write(node, signal, "")
      })
    )
    return node
  })

  /** Adds a copy that follows its primary. Lets commits wait for the copy's disk, or the copy be behind. */
  const addStandby = Effect.fnUntraced(function* (primary: Node) {
    const source = yield* Scope.provide(movableAddress(primary.port), scope)
    const node = yield* copy(primary, "standby.signal")
    const connection = `host=127.0.0.1 port=${source.port} user=postgres password=custody`
    write(node, "postgresql.auto.conf", `primary_conninfo = '${connection}'\n`)
    yield* node.start
    yield* untilTrue(primary.port, "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')")
    if (lag !== undefined) yield* source.delayBy(lag)
    else
      yield* query(urlAt(primary.port), (sql) =>
        Effect.andThen(
          sql.unsafe("ALTER SYSTEM SET synchronous_standby_names = '*'"),
          sql.unsafe("SELECT pg_reload_conf()")
        )
      )
    return node
  })

  let primary: Node = yield* makeNode
  yield* initialise(folder, primary.directory)
  yield* primary.start
  let standby: Node = yield* addStandby(primary)
  const address = yield* movableAddress(primary.port)

  return {
    url: urlAt(address.port),
    /** Crashes the primary, and starts it again. */
    restart: Effect.gen(function* () {
      yield* primary.crash
      yield* primary.start
    }),
    /** Crashes the primary, promotes the standby, and adds another standby. */
    failover: Effect.gen(function* () {
      yield* primary.crash
      primary = standby
      yield* query(urlAt(primary.port), (sql) => sql.unsafe("SELECT pg_promote()"))
      yield* untilTrue(primary.port, "NOT pg_is_in_recovery()")
      yield* address.moveTo(primary.port)
      standby = yield* addStandby(primary)
    }),
    /** Copies the primary, and notes the time. Returns what crashes it, and recovers the copy as the primary was then. */
    recover: Effect.map(
      Effect.gen(function* () {
        const [before, node] = [primary, yield* copy(primary, "recovery.signal")]
        const [row] = yield* query(urlAt(before.port), (sql) =>
          sql.unsafe<{ readonly now: string }>("SELECT clock_timestamp()::text AS now")
        )
        const settings = {
          restore_command: `cp ${before.directory}/pg_wal/%f %p`,
          recovery_target_time: row!.now,
          recovery_target_action: "promote"
        }
        const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`)
        write(node, "postgresql.auto.conf", lines.join(""))
        return { before, node }
      }),
      ({ before, node }) =>
        Effect.gen(function* () {
          yield* before.crash
          yield* node.start
          yield* untilTrue(node.port, "NOT pg_is_in_recovery()")
          primary = node
          yield* address.moveTo(primary.port)
          standby = yield* addStandby(primary)
        })
    )
  }
})

/** A pair in which a failover loses no commit. */
export const postgresPair = makePair()

/** A pair whose standby receives each commit some milliseconds late. A failover loses the commits that it has not received. */
export const asynchronousPair = (lag: number) => makePair(lag)
