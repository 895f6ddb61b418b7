/**
 * `custody payouts drill`: lets disasters happen to a ledger whose payouts go to an emulator, and prints what each costs.
 * Its workers are processes of `custody payouts run`, and what it says that a person had to type is what it has run.
 */
import { CustodyEmulator } from "@effect-custody/emulator/CustodyEmulator"
import * as Fault from "@effect-custody/emulator/Fault"
import type * as Payouts from "@effect-custody/ledger/Payouts"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Clock from "effect/Clock"
import * as Config from "effect/Config"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Scope from "effect/Scope"
import * as SqlClient from "effect/sql/SqlClient"
import { isSqlError } from "effect/sql/SqlError"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { DatabaseSync } from "node:sqlite"
import { fileURLToPath } from "node:url"
import * as Database from "../service/database.ts"
import * as Output from "../terminal/output.ts"
import * as States from "./states.ts"

/** The database that a drill makes, and drops. */
const own = "custody_drill"

export const command = CliCommand.make(
  "drill",
  {
    databaseUrl: Database.flag("A PostgreSQL server whose user may create databases,", "CUSTODY_DRILL_URL").pipe(
      Flag.withFallbackConfig(Config.option(Config.Redacted("CUSTODY_DRILL_URL")))
    ),
    payouts: Flag.Int("payouts").pipe(
      Flag.withDescription("How many payouts each disaster interrupts; default: 60"),
      Flag.withDefault(60)
    ),
    yes: Output.yes
  },
  Effect.fnUntraced(function* ({ databaseUrl, payouts, yes }) {
    if (Option.isNone(databaseUrl)) return yield* drill(sqlite, payouts)
    const server = yield* Database.parse(databaseUrl.value, ["PostgreSQL"])
    yield* Output.ask(`Create the database ${own} on ${server.name}, and drop it at the end?`, yes)
    yield* drill(postgres(server), payouts)
  })
).pipe(
  CliCommand.withDescription(
    "Plays disasters with an emulator in place of the service, and prints what each costs. On PostgreSQL, " +
      `it works in the database ${own}, which must not exist. Exits with 1 if a payout was sent twice or lost`
  )
)

/** Plays every disaster that the store allows, and prints the table. */
export const drill = Effect.fnUntraced(function* (store: Store, payouts: number) {
  const rows: Array<Row> = []
  for (const disaster of disasters) {
    yield* Console.error(`${disaster.name} …`)
    const prepare = disaster.prepare(store)
    const { name } = disaster
    rows.push(
      prepare === undefined
        ? { name, lacks: store.lacks }
        : yield* Effect.timeoutOrElse(play(disaster, prepare, store, payouts), {
            duration: "15 minutes",
            orElse: () => Effect.fail(Output.failure(`${name}: it did not end within 15 minutes`))
          })
    )
  }
  yield* Output.lines(render(`${yield* store.name}: ${payouts} payouts for each disaster`, rows))
  const bad = rows.flatMap((row) => ("lacks" in row || row.twice + row.lost === 0 ? [] : [row.name]))
  if (bad.length > 0) return yield* Output.failure(`sent twice or lost: ${bad.join(", ")}`)
}, Output.orFail)

// The table.

type Row = Played | { readonly name: string; readonly lacks: string }

interface Played extends ReturnType<typeof judge> {
  readonly name: string
  /** Payouts about which a person decided. */
  readonly decided: number
  /** From the disaster to the next payment, in milliseconds. */
  readonly stoodStill: number
  readonly waited: "the ledger" | "a person" | "nobody"
  readonly typed: ReadonlyArray<string>
}

/** A payout, and a transaction that paid it. */
interface Payment {
  readonly reference: string
  readonly transactionId: string
}

/** Compares the payments of the service with those that the ledger knows. */
export const judge = (
  references: ReadonlyArray<string>,
  payments: ReadonlyArray<Payment>,
  known: ReadonlyArray<Payment>
) => {
  const idsOf = (name: string, all: ReadonlyArray<Payment>) =>
    all.flatMap(({ reference, transactionId }) => (reference === name ? [transactionId] : []))
  return {
    /** Payouts that the service has paid more than once. */
    twice: references.filter((name) => idsOf(name, payments).length > 1).length,
    /** Payouts that the service has not paid, or that the ledger does not call paid by that transaction. */
    lost: references.filter((name) => !idsOf(name, payments).some((id) => idsOf(name, known).includes(id))).length
  }
}

/** In seconds. Short, so that a drill takes minutes. */
const settings = { sendWithin: 3, shownWithin: 4, undecidedAfter: 12 }
const wait = 2 * settings.sendWithin + settings.shownWithin

/** What was typed; of commands of one kind, the first. */
const shorten = (typed: ReadonlyArray<string>): ReadonlyArray<string> =>
  Array.from(
    Map.groupBy(typed, (line) => line.split(" ", 3).join(" ")).values(),
    ([first = "", ...others]) => `  ${first}${others.length === 0 ? "" : `   (${others.length} more of this kind)`}`
  )

const render = (title: string, rows: ReadonlyArray<Row>): ReadonlyArray<string> => [
  title,
  ...Output.table([
    ["disaster", "sent twice", "lost", "for a person", "stood still", `a wait of ${wait} s`, "typed"],
    ...rows.map((row) => {
      if ("lacks" in row) return [row.name, ...Array.from({ length: 4 }, () => "-"), `not played: ${row.lacks}`]
      const { decided, lost, name, stoodStill, twice, typed, waited } = row
      const counts = [twice, lost, decided].map(String)
      return [name, ...counts, `${(stoodStill / 1000).toFixed(1)} s`, `by ${waited}`, `${typed.length}`]
    })
  ]),
  "",
  `The wait is 2 × --send-within + --shown-within. With the default settings, ${wait} s are 11 minutes.`,
  `What is not found waits ${settings.undecidedAfter} s for a person here, and 26 hours by default (--undecided-after).`,
  "The time that a person needs to look and to type is not in the table.",
  ...rows.flatMap((row) => ("lacks" in row ? [] : ["", `${row.name}:`, ...shorten(row.typed)]))
]

// The disasters.

/** What failed, for a person. */
export interface Failure {
  readonly message: string
}

/** Prepares a disaster while payouts are sent. Returns what strikes. */
type Prepare = (stage: Stage) => Effect.Effect<Effect.Effect<void, Failure>, Failure>

interface Disaster {
  readonly name: string
  /** `undefined` if the store does not allow it. */
  readonly prepare: (store: Store) => Prepare | undefined
  /** `true` if the workers end with it. */
  readonly ends?: boolean
  /** `true` if a ledger cannot see what it has lost, so that a person waits before they start it. */
  readonly isUnseen?: (store: Store) => boolean
}

const freeze: Prepare = ({ hosts: [host] }) =>
  Effect.succeed(
    Effect.gen(function* () {
      host?.worker?.signal("SIGSTOP")
      yield* Effect.sleep(2_000 * settings.sendWithin)
      host?.worker?.signal("SIGCONT")
    })
  )

const isSqlite = (store: Store) => store === sqlite

const disasters: ReadonlyArray<Disaster> = [
  { name: "restored backup", prepare: () => (stage) => stage.ledger.backup, ends: true, isUnseen: isSqlite },
  { name: "point-in-time recovery", prepare: ({ recover }) => recover && (() => recover) },
  { name: "failover to a standby that lags", prepare: ({ failover }) => failover && (() => failover) },
  { name: "frozen host", prepare: () => freeze },
  { name: "lost volume", prepare: () => (stage) => Effect.succeed(stage.ledger.lose), ends: true, isUnseen: () => true }
]

/** How late the service gets one request of five, in milliseconds: less than a wait. */
const late = 2_000

const play = Effect.fnUntraced(function* (
  { ends = false, isUnseen, name }: Disaster,
  prepare: Prepare,
  store: Store,
  count: number
) {
  const stage = yield* makeStage(store, count)
  const { emulator, hosts, payments, person, startWorkers } = stage
  const untilMorePaid = Effect.flatMap(payments, ({ length }) =>
    Effect.repeat(Effect.delay(payments, 20), { until: (now) => now.length >= length + 6 })
  )
  yield* startWorkers(() => Effect.void)
  yield* untilMorePaid
  const strike = yield* prepare(stage)
  yield* untilMorePaid
  const since = yield* Clock.currentTimeMillis
  if (ends) for (const { worker } of hosts) worker?.signal("SIGKILL")
  yield* strike
  const byPerson = isUnseen?.(store) === true
  if (byPerson) {
    yield* person.note(`sleep ${wait}`)
    yield* Effect.sleep(1_000 * wait)
  }
  if (ends) yield* startWorkers(person.note)
  const decided = yield* settle(stage)
  // What is late arrives.
  yield* Effect.sleep(late)
  const known = yield* parse<ReadonlyArray<Payment>>(person.run("list", "--state", "paid", "--json"))
  const next = (yield* emulator.received).find(
    ({ at, fault, operation }) =>
      operation === "transactions.send" && fault === undefined && DateTime.toEpochMillis(at) > since
  )
  return {
    name,
    ...judge(stage.references, yield* payments, known),
    decided,
    stoodStill: next === undefined ? Infinity : DateTime.toEpochMillis(next.at) - since,
    waited: byPerson ? "a person" : hosts.some(({ hasWaited }) => hasWaited) ? "the ledger" : "nobody",
    typed: person.typed
  } satisfies Row
}, Effect.scoped)

const decodeJson = Schema.decodeEffect(Schema.fromJsonString(Schema.Unknown))

/** The JSON that a command prints. */
const parse = <A>(command: Effect.Effect<{ readonly output: string; readonly errors: string }>) =>
  Effect.flatMap(command, ({ errors, output }) =>
    Effect.mapBoth(decodeJson(output), { onFailure: () => Output.failure(errors), onSuccess: (json) => json as A })
  )

/**
 * The person, who knows of each payout whether the service has paid it: whenever the workers have ended, looks, decides,
 * and starts them again, until nothing is open. Returns how many payouts a decision was about.
 */
const settle = Effect.fnUntraced(function* ({ hosts, payments, person, startWorkers }: Stage) {
  const decided = new Set<string>()
  const sign = ["--by", "grace", "--reason", "the service's own record", "--yes"]
  for (;;) {
    for (const host of hosts) {
      yield* host.worker?.ended ?? Effect.void
      host.hasWaited ||= host.worker?.said.errors.includes("The comparison begins at") === true
    }
    const { alarms, states } = yield* parse<Payouts.Progress>(person.type("status", "--json"))
    const list = person.type("list", "--state", "undecided", "--json")
    const undecided = States.count(states, "undecided") === 0 ? [] : yield* parse<ReadonlyArray<Payment>>(list)
    for (const { reference } of [...alarms, ...undecided]) {
      const found = (yield* payments).find((one) => one.reference === reference)
      const outcome = found === undefined ? ["--not-paid"] : ["--paid", found.transactionId]
      decided.add(reference)
      yield* person.type("decide", reference, ...outcome, ...sign)
    }
    if (alarms.length + undecided.length + States.countWorking(states) === 0) return decided.size
    yield* startWorkers(person.note)
  }
})

// The processes.

const program = fileURLToPath(new URL("./bin/custody.mjs", import.meta.resolve("@effect-custody/cli/package.json")))

/** A worker ends when nothing is left to do, when the ledger stops, and when the database fails. */
const worker = [
  ..."run payouts.csv --yes --by ada --in-flight 3".split(" "),
  "--wait",
  "30 seconds",
  "--send-within",
  `${settings.sendWithin} seconds`,
  "--shown-within",
  `${settings.shownWithin} seconds`,
  "--undecided-after",
  `${settings.undecidedAfter} seconds`
]

const lineOf = (args: ReadonlyArray<string>): string =>
  ["custody payouts", ...args.map((word) => (/[^\w.-]/.test(word) ? `"${word}"` : word))].join(" ")

/** Starts a command until the scope ends. */
const start = (cwd: string, env: NodeJS.ProcessEnv, args: ReadonlyArray<string>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const child = spawn(process.execPath, [program, "payouts", ...args], { cwd, env, stdio: "pipe" })
      const said = { output: "", errors: "" }
      child.stderr.on("data", (chunk: Buffer) => (said.errors += chunk.toString()))
      child.stdout.on("data", (chunk: Buffer) => (said.output += chunk.toString()))
      const closed = once(child, "close")
      const ended = Effect.promise(() => closed)
      /** Its payouts are submitted, or it has ended. */
      const opened = Effect.repeat(Effect.sleep(20), {
        until: () =>
          child.exitCode !== null || child.signalCode !== null || said.output.includes("in the ledger already")
      })
      return { said, ended, opened, signal: (signal: NodeJS.Signals): void => void child.kill(signal) }
    }),
    ({ ended, signal }) =>
      Effect.andThen(
        Effect.sync(() => signal("SIGKILL")),
        ended
      )
  )

interface Host {
  readonly env: NodeJS.ProcessEnv
  worker?: Effect.Success<ReturnType<typeof start>>
  /** `true` if a worker of it has waited for the history. */
  hasWaited: boolean
}

/** A ledger, an emulator, the hosts that pay, and the person who looks after them. */
const makeStage = Effect.fnUntraced(function* (store: Store, count: number) {
  const scope = yield* Effect.scope
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => Fs.mkdtempSync(Path.join(Os.tmpdir(), "custody-drill-"))),
    (made) => Effect.sync(() => Fs.rmSync(made, { recursive: true, force: true }))
  )
  const ledger = yield* store.make(folder)
  const durations = { pendingFor: 200, broadcastingFor: 300, latency: 200 }
  const service = yield* Layer.build(Layer.fresh(CustodyEmulator.layerServer({ durations })))
  const emulator = Context.get(service, CustodyEmulator)
  yield* emulator.fund({ clientId: "alice", assetId: "usdc", amount: "1000000" })
  const delayed = Fault.sometimes({ probability: 0.2, seed: 1 }, Fault.delayed({ request: late }))
  yield* emulator.faults.next("transactions.send", delayed, { times: Infinity })
  const references = Array.from({ length: count }, (_, index) => `p-${index}`)
  const lines = references.map((reference, index) => `${reference},alice,usdc,0x${index},1`)
  Fs.writeFileSync(Path.join(folder, "payouts.csv"), ["reference,clientId,assetId,to,amount", ...lines, ""].join("\n"))
  // Whatever the commands of this user reach, these reach the emulator.
  const others = Object.entries(process.env).filter(([name]) => !name.startsWith("CUSTODY_"))
  const makeHost = (name: string) =>
    Effect.map(emulator.issueApiKey(), (apiKey): Host => ({
      env: {
        ...Object.fromEntries(others),
        ...(ledger.url === undefined ? {} : { CUSTODY_LEDGER_URL: Redacted.value(ledger.url) }),
        CUSTODY_BASE_URL: emulator.baseUrl,
        CUSTODY_ENVIRONMENT: "emulator",
        CUSTODY_API_KEY: Redacted.value(apiKey),
        CUSTODY_SESSION_FILE: `session-${name}.db`
      },
      hasWaited: false
    }))
  const hosts = yield* Effect.forEach(Array.from({ length: store.hosts }, String), makeHost)
  /** One by one: of two workers that make the tables at once, one may fail. */
  const startWorkers = Effect.fnUntraced(function* (note: (line: string) => Effect.Effect<void>) {
    for (const host of hosts) {
      yield* note(lineOf(worker))
      host.worker = yield* Scope.provide(start(folder, host.env, worker), scope)
      yield* host.worker.opened
    }
  })
  const { env } = yield* makeHost("person")
  const typed: Array<string> = []
  const note = (line: string) =>
    Effect.andThen(
      Console.error(`  ${line}`),
      Effect.sync(() => void typed.push(line))
    )
  const run = (...args: ReadonlyArray<string>) =>
    Effect.scoped(Effect.flatMap(start(folder, env, args), ({ ended, said }) => Effect.as(ended, said)))
  const type = (...args: ReadonlyArray<string>) => Effect.andThen(note(lineOf(args)), run(...args))
  const payments = Effect.map(emulator.ledger, (writes) =>
    writes.flatMap(({ id = "", marker = "", operation }): ReadonlyArray<Payment> =>
      operation === "transactions.send" ? [{ reference: marker, transactionId: id }] : []
    )
  )
  return { ledger, emulator, references, payments, hosts, startWorkers, person: { typed, note, run, type } }
})

type Stage = Effect.Success<ReturnType<typeof makeStage>>

// The stores.

/** The ledger of one disaster. */
interface Ledger {
  /** The address of its database; without one, it is the file `ledger.db` of the folder. */
  readonly url?: Redacted.Redacted
  /** Takes a backup while workers write. Returns what restores it. */
  readonly backup: Effect.Effect<Effect.Effect<void, Failure>, Failure>
  /** Leaves nothing of it. */
  readonly lose: Effect.Effect<void, Failure>
}

export interface Store {
  readonly name: Effect.Effect<string, Failure>
  /** How many hosts share a ledger. */
  readonly hosts: number
  /** Makes an empty ledger until the scope ends. */
  readonly make: (folder: string) => Effect.Effect<Ledger, Failure, Scope.Scope>
  /** Notes a time. Returns what brings the server back to it. */
  readonly recover?: Effect.Effect<Effect.Effect<void>> | undefined
  /** Returns what lets the standby take over. */
  readonly failover?: Effect.Effect<Effect.Effect<void>> | undefined
  /** What the store lacks for these two. */
  readonly lacks: string
}

export const sqlite: Store = {
  name: Effect.succeed("SQLite, one host"),
  hosts: 1,
  make: (folder) => {
    const [file, copy] = [Path.join(folder, "ledger.db"), Path.join(folder, "backup.db")]
    const lose = Effect.sync(() => {
      for (const part of ["", "-wal", "-shm"]) Fs.rmSync(`${file}${part}`, { force: true })
    })
    const backup = Effect.sync(() => {
      const database = new DatabaseSync(file, { timeout: 5_000 })
      database.prepare("VACUUM INTO ?").run(copy)
      database.close()
      return Effect.map(lose, () => Fs.copyFileSync(copy, file))
    })
    return Effect.succeed({ backup, lose })
  },
  lacks: "SQLite has no log and no standby"
}

/** A server of PostgreSQL, and what can be done to it beside what its clients can do. */
export const postgres = (server: Database.Database, can: Pick<Store, "recover" | "failover"> = {}): Store => {
  const address = new URL(Redacted.value(server.url))
  address.pathname = own
  const url = Redacted.make(address.href)
  /** Connects, for one piece of work. */
  const query = <A>(to: Redacted.Redacted, work: (sql: SqlClient.SqlClient) => Effect.Effect<A, Failure>) =>
    Effect.flatMap(SqlClient.SqlClient, work).pipe(
      Effect.provide(Database.postgres({ ...server, url: to }), { local: true }),
      Effect.mapError((error) => {
        if (!isSqlError(error)) return error
        const { _tag, cause } = error.reason
        const code = Predicate.hasProperty(cause, "code") ? String(cause.code) : _tag
        const exists = code === "42P04" ? `: it has a database ${own}, and a drill uses none that it has not made` : ""
        return Output.failure(`${server.name} failed (${code})${exists}`)
      })
    )
  const create = query(server.url, (sql) => sql.unsafe(`CREATE DATABASE ${own}`))
  const drop = query(server.url, (sql) => sql.unsafe(`DROP DATABASE ${own} WITH (FORCE)`))
  const left = Console.error(`the database ${own} could not be dropped: drop it`)
  const inLedger = (body: string) =>
    query(url, (sql) =>
      Effect.andThen(
        sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ`,
        sql.unsafe(`DO $$ DECLARE t text; BEGIN ${body} END $$`)
      ).pipe(sql.withTransaction)
    )
  /** Copies the rows as they are at one time. */
  const save = inLedger(`CREATE SCHEMA backup;
    FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'public' LOOP
      EXECUTE format('CREATE TABLE backup.%1$I AS TABLE public.%1$I', t);
    END LOOP;`)
  /** Puts the rows into new tables, as `pg_restore` does. */
  const restore = inLedger(`FOR t IN SELECT tablename FROM pg_tables WHERE schemaname = 'backup' LOOP
      EXECUTE format('CREATE TABLE copy (LIKE public.%I INCLUDING ALL)', t);
      EXECUTE format('INSERT INTO copy OVERRIDING SYSTEM VALUE TABLE backup.%I', t);
      EXECUTE format('DROP TABLE public.%I', t);
      EXECUTE format('ALTER TABLE copy RENAME TO %I', t);
    END LOOP;
    PERFORM setval(pg_get_serial_sequence('payout_events', 'sequence'), (SELECT max(sequence) FROM payout_events));`)
  return {
    name: Effect.map(
      query(
        server.url,
        (sql) => sql<{ readonly version: string }>`SELECT current_setting('server_version') AS version`
      ),
      ([row]) => `PostgreSQL ${row?.version}, two hosts`
    ),
    hosts: 2,
    make: () =>
      Effect.as(
        Effect.acquireRelease(create, () => Effect.catchCause(drop, () => left)),
        { url, backup: Effect.as(save, Effect.asVoid(restore)), lose: Effect.asVoid(Effect.andThen(drop, create)) }
      ),
    lacks: "it takes the server's own files or standby",
    ...can
  }
}
