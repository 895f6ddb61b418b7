/** `custody payouts` as a process: files, exit codes, kills. */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { emptyDatabase, hasPostgres, postgresServer } from "../support/servers/postgres.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

/** A directory with a file of payouts, of the first few at first, and the command in it. */
const makePlace = Effect.fnUntraced(function* (all: number, first = all) {
  yield* Program.onboard("alice")
  const env = yield* Program.environmentOf()
  const directory = yield* temporaryDirectory
  const rows = Array.from({ length: all }, (_, index) => `june-${index},alice,usdc,0xabc${index},0.5`)
  const write = (payouts: number) =>
    writeFileSync(
      Path.join(directory, "june.csv"),
      ["reference,clientId,assetId,to,amount", ...rows.slice(0, payouts), ""].join("\n")
    )
  write(first)
  const its = { ...env, CUSTODY_SESSION_FILE: Path.join(directory, "session.db") }
  return {
    /** Adds the other payouts to the file. */
    complete: Effect.sync(() => write(all)),
    start: (command: string) => Program.start([Program.custody, "payouts", ...Program.words(command)], its, directory),
    custody: (command: string) => Program.run([Program.custody, "payouts", ...Program.words(command)], its, directory)
  }
})

const onEmulator = Effect.provide(CustodyEmulator.layerServer(), { local: true })

describe("custody payouts", () => {
  it.live("custody payouts run goes on after a kill, pays each row once, and its tie-out finds no difference", () =>
    Effect.gen(function* () {
      const { complete, custody, start } = yield* makePlace(40, 12)
      const checked = yield* custody("dry-run june.csv")
      assert.strictEqual(checked.code, 0, checked.errors)
      assert.match(checked.output, /june\.csv: 12 payouts, no mistakes\nledger\.db: a new ledger\n/)
      assert.match(checked.output, /alice +usdc +12 +6\.0 +1000 +enough/)
      assert.match(checked.output, /addresses: 12, never paid before: 12/)
      assert.strictEqual(yield* Program.sends, 0)

      const refused = yield* custody("run june.csv")
      assert.deepStrictEqual([refused.code, yield* Program.sends], [1, 0])
      assert.match(refused.errors, /no terminal to ask for confirmation: use --yes/)

      const { faults } = yield* CustodyEmulator
      yield* faults.next("transactions.send", Fault.delayed({ answer: "1 millis" }), { times: 8 })
      yield* faults.next("transactions.send", Fault.delayed({ answer: "5 minutes" }), { times: 4 })
      const killed = yield* start("run june.csv --yes --in-flight 4 --send-within 5~seconds")
      // Whatever it has claimed has arrived, also if the kill is late: it knows of no other payouts. One that was claimed, and
      // never arrives, is looked for for 26 hours.
      yield* Program.untilSent(12)
      yield* killed.kill("SIGKILL")
      yield* killed.ended
      yield* faults.clear
      yield* complete
      const done = yield* custody("run june.csv --yes")
      assert.strictEqual(done.code, 0, done.errors)
      assert.match(done.output, /batch june: 28 new, 12 in the ledger already\n/)
      assert.match(done.output, /ledger\.db: 40 paid\n/)
      assert.match(done.errors, /^\d+\/\d+ {2}/)
      assert.notInclude(done.errors, "\r")
      assert.strictEqual(yield* Program.sends, 40)
      const again = yield* custody("run june.csv --yes")
      assert.strictEqual(again.code, 0, again.errors)
      assert.match(again.output, /batch june: 0 new, 40 in the ledger already\n/)
      assert.strictEqual(yield* Program.sends, 40)

      const tied = yield* custody("tie-out --from 2020-01-01 --to 2100-01-01")
      assert.match(tied.output, /40 payouts, 40 outgoing transactions, 0 differences/)
      const empty = yield* custody("tie-out --from 2100-01-01")
      assert.strictEqual(empty.code, 1)
      assert.match(empty.errors, /from.*must be before "to", 20/s)
      const listed = yield* custody("list --csv --state paid")
      assert.lengthOf(listed.output.trim().split("\n"), 41)
    }).pipe(onEmulator)
  )

  it.live("a held batch needs another person, and an undecided payout a decision", () =>
    Effect.gen(function* () {
      const { custody } = yield* makePlace(3)
      const held = yield* custody("run june.csv --hold --by ann --yes")
      assert.strictEqual(held.code, 0, held.errors)
      const same = yield* custody("approve june --by ann --yes")
      assert.deepStrictEqual([same.code, yield* Program.sends], [1, 0])
      assert.match(same.errors, /ann has submitted it/)
      const approved = yield* custody("approve june --by bob --yes")
      assert.match(
        approved.output,
        /alice +usdc +3 +1\.5\n3 recipients:\n0xabc0 +0\.5 usdc from alice\n[^]*3 payouts approved/
      )
      assert.match((yield* custody("approve june --by bob --yes")).errors, /it is ready, and has to be held/)

      const { faults } = yield* CustodyEmulator
      // The service does nothing, and the client cannot know.
      yield* faults.next("transactions.send", Fault.answered({ status: 503 }))
      const open = yield* custody("run --undecided-after 1~second --send-within 1~second --wait 1~minute")
      assert.strictEqual(open.code, 2, open.errors)
      assert.match(open.output, /1 undecided, 2 paid/)
      assert.match(open.output, /the whole history does not show it/)
      const reference = /^(june-\d) +undecided/m.exec(open.output)?.[1] ?? ""
      assert.strictEqual((yield* custody("status")).code, 2)
      const inJson = yield* custody("status --json")
      assert.deepStrictEqual([inJson.code, JSON.parse(inJson.output).states], [2, { undecided: 1, paid: 2 }])
      const signed = "--by bob --reason looked --yes"
      const mistyped = yield* custody(`decide ${reference} --paid 9001x ${signed}`)
      assert.strictEqual(mistyped.code, 1)
      assert.match(mistyped.errors, /cannot decide june-\d: the service has no transaction 9001x; .*--unchecked/)
      const { ledger } = yield* CustodyEmulator
      const other = (yield* ledger).find(({ operation }) => operation === "transactions.send")?.id ?? ""
      const taken = yield* custody(`decide ${reference} --paid ${other} ${signed}`)
      assert.match(taken.errors, /is another payment \(recipient: /)
      const args = `--not-paid ${signed}`
      assert.match((yield* custody(`decide ${reference} ${args}`)).output, /1 payout will be sent again/)
      const done = yield* custody("run")
      assert.strictEqual(done.code, 0, done.errors)
      assert.strictEqual(yield* Program.sends, 3)
      assert.match((yield* custody(`show ${reference}`)).output, /bob +decidedNotPaid +ready +looked/)
    }).pipe(onEmulator)
  )

  it.live.skipIf(!hasPostgres)("custody payouts run keeps its ledger in PostgreSQL", () =>
    Effect.gen(function* () {
      const url = yield* Effect.flatMap(postgresServer, emptyDatabase)
      const { custody } = yield* makePlace(5)
      const done = yield* custody(`run june.csv --yes --database-url ${url}`)
      assert.strictEqual(done.code, 0, done.errors)
      assert.match(done.output, /127\.0\.0\.1:\d+\/custody_\w+: 5 paid/)
      assert.notInclude(done.output + done.errors, `:${new URL(url).password}@`)
      assert.strictEqual(yield* Program.sends, 5)
    }).pipe(onEmulator)
  )
})
