import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import type { Payout } from "@effect-custody/ledger/Payout"
import { Effect, FileSystem, Redacted, Runtime } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import { DatabaseSync } from "node:sqlite"
import * as Csv from "../src/payouts/csv.ts"
import * as FirstPayout from "../src/payouts/firstPayout.ts"
import * as Progress from "../src/payouts/progress.ts"
import { custody, inDirectory } from "./runCustody.ts"
import { terminal } from "./terminal.ts"

const describeAll = (text: string) => Effect.map(Csv.parse(text), ({ mistakes }) => Csv.describe("june.csv", mistakes))

const columns = "reference,clientId,assetId,to,amount"

describe("a file of payouts", () => {
  it.effect("a file with a BOM, quotes, blank lines and optional columns becomes orders", () =>
    Effect.gen(function* () {
      const text = `\uFEFFnote,${columns},networkId\r\n"for ""June""\nand July",p-1,alice,usdc,0x1,12.50,\r\n\r\n,p-2,bob,eth,0x2,1,ethereum\r\n`
      const { mistakes, orders } = yield* Csv.parse(text)
      assert.deepStrictEqual(mistakes, [])
      assert.deepStrictEqual(
        orders.map(({ amount, networkId, note, reference }) => [reference, Amount.format(amount), networkId, note]),
        [
          ["p-1", "12.50", "", 'for "June"\nand July'],
          ["p-2", "1", "ethereum", ""]
        ]
      )
    })
  )

  it.effect("a mistake is reported with the line that an editor shows, and its column", () =>
    Effect.gen(function* () {
      const text = `${columns},note\np-1,alice,usdc,0x1,1,"two\nlines"\n\np-2,alice,usdc,,-1,\np-1,alice,usdc,0x3,x,\n`
      const shown = yield* describeAll(text)
      assert.isTrue(
        shown.some((line) => line.startsWith("june.csv:5: to: ")),
        shown.join("\n")
      )
      assert.isTrue(
        shown.some((line) => line.startsWith("june.csv:5: amount: ")),
        shown.join("\n")
      )
      assert.isTrue(
        shown.some((line) => line.startsWith("june.csv:6: amount: ")),
        shown.join("\n")
      )
      const repeated = yield* describeAll(`${columns}\np-1,alice,usdc,0x1,1\n\np-1,alice,usdc,0x2,1\n`)
      assert.deepStrictEqual(repeated.slice(0, 1), ["june.csv:4: reference: is the same as in line 2"])
    })
  )

  it.effect("a wrong amount hides no repeated reference or note", () =>
    Effect.gen(function* () {
      const rows = ["p-1,a,u,0x1,x,one", "p-2,a,u,0x2,1,two", "p-2,a,u,0x3,1,three", "p-1,a,u,0x4,y,two"]
      const shown = yield* describeAll([`${columns},note`, ...rows, ""].join("\n"))
      assert.deepStrictEqual(
        shown.map((line) => line.replace(/amount: .*/, "amount")),
        [
          "june.csv:2: amount",
          "june.csv:4: reference: is the same as in line 3",
          "june.csv:5: amount",
          "june.csv:5: reference: is the same as in line 2",
          "june.csv:5: note: is the same as in line 3"
        ]
      )
    })
  )

  it.effect("a number in the notation of a spreadsheet is refused, and every other text with an e is not", () =>
    Effect.gen(function* () {
      const refused = [
        "p-1,alice,usdc,0x1,1.23457E+11,",
        "p-2,alice,usdc,0x1,1e3,",
        "1.23457E+11,alice,usdc,0x1,1,",
        "p-4,alice,usdc,5.29084E+47,1,",
        'p-5,alice,usdc,0x1,1,"1,2E+12"',
        "p-6,1E+20,usdc,0x1,1,"
      ]
      const { orders } = yield* Csv.parse([`${columns},note`, ...refused, ""].join("\n"))
      assert.deepStrictEqual(orders, [])
      const shown = yield* describeAll([`${columns},note`, ...refused, ""].join("\n"))
      const reason = "a number that a spreadsheet shortened, and its last digits may be lost: format the column as text"
      assert.deepStrictEqual(
        shown.map((line) => line.slice(0, line.indexOf(reason))),
        [
          'june.csv:2: amount: is "1.23457E+11", ',
          'june.csv:3: amount: is "1e3", ',
          'june.csv:4: reference: is "1.23457E+11", ',
          'june.csv:5: to: is "5.29084E+47", ',
          'june.csv:6: note: is "1,2E+12", ',
          'june.csv:7: clientId: is "1E+20", '
        ]
      )
      const kept = yield* Csv.parse(`${columns},note\n12e5,7E3,usdc,0x12E+11,1,4.2e5\n`)
      assert.deepStrictEqual(kept.mistakes, [])
      assert.lengthOf(kept.orders, 1)
    })
  )

  it.effect.each([";", "\t"])("a file whose cells are separated by %j gets one hint", (separator) =>
    Effect.gen(function* () {
      const shown = yield* describeAll(`${columns}\np-1,alice,usdc,0x1,1\n`.replaceAll(",", separator))
      const name = separator === ";" ? '";"' : "tabs"
      assert.deepStrictEqual(shown, [
        `june.csv:1: ${name} separate the cells: save the file with "," between them, and "." in amounts`
      ])
    })
  )

  it.effect.each([" 12.5", "12.5 ", "\u00a012.5"])("the spaces around the number %j are named", (amount) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* describeAll(`${columns}\np-1,alice,usdc,0x1,${amount}\n`), [
        `june.csv:2: amount: is "${amount}", with spaces around the number: remove them`
      ])
    })
  )

  it.effect("a header or a row that does not fit is refused", () =>
    Effect.gen(function* () {
      const known = "the columns are reference,clientId,assetId,to,amount and optionally networkId,note"
      assert.deepStrictEqual(yield* describeAll("reference,clientId,assetId,to,amout\np,a,u,0x,1\n"), [
        `june.csv:1: the column amount is missing: ${known}`,
        `june.csv:1: there is no column "amout": ${known}`
      ])
      assert.deepStrictEqual(yield* describeAll(`${columns}\np-1,alice,usdc,0x1,1,000.50\n`), [
        "june.csv:2: it has 6 cells, and the header 5"
      ])
      assert.match((yield* describeAll(""))[0]!, /^june\.csv:1: the file is empty/)
      assert.match((yield* describeAll(`${columns}\np-1,"alice,usdc,0x1,1\n`))[0]!, /^june\.csv:2: /)
    })
  )
})

describe("the encoding of a file", () => {
  const read = Effect.fnUntraced(function* (bytes: Uint8Array) {
    const file = `${yield* inDirectory}/june.csv`
    yield* FileSystem.FileSystem.use((files) => files.writeFile(file, bytes))
    return Csv.describe("june.csv", (yield* Csv.readFile(file)).mistakes)
  })
  const text = `${columns}\np-1,alice,usdc,0x1,1\njos\u00e9,alice,usdc,0x1,1\n`

  it.effect.each([
    ["latin1", Buffer.from(text, "latin1"), ["june.csv:3: the file is not in UTF-8, but perhaps in Windows-1252"]],
    ["utf16le", Buffer.from(`\ufeff${text}`, "utf16le"), ["june.csv:1: the file is in UTF-16: save it as UTF-8"]],
    ["a lost character", Buffer.from(text.replace("\u00e9", "\ufffd")), ["june.csv:3: U+FFFD stands for a character"]],
    ["utf8", Buffer.from(`\ufeff${text}`), []]
  ] as const)("%s", ([, bytes, expected]) =>
    Effect.gen(function* () {
      const found = yield* read(bytes)
      assert.deepStrictEqual(
        found.map((line, index) => line.slice(0, expected[index]?.length)),
        [...expected]
      )
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

/** Changes what a ledger in a file has, as another process does. */
const change = (file: string, sql: string) =>
  Effect.sync(() => {
    using database = new DatabaseSync(file)
    database.exec(sql)
  })

describe("what a person sees before money moves", () => {
  const held = Effect.fnUntraced(function* (...rows: ReadonlyArray<string>) {
    const directory = yield* inDirectory
    const files = yield* FileSystem.FileSystem
    const write = (name: string, ...rows: ReadonlyArray<string>) =>
      files.writeFileString(`${directory}/${name}.csv`, [columns, ...rows, ""].join("\n"))
    const run = (...args: ReadonlyArray<string>) => custody(["payouts", ...args, "--ledger", `${directory}/ledger.db`])
    yield* write("june", ...rows)
    const submitted = yield* run("run", `${directory}/june.csv`, "--hold", "--yes", "--by", "ada")
    return { directory, run, submitted, write, ledger: `${directory}/ledger.db` }
  })

  it.live("a reference that forges the list is refused with its line, and an old one is shown as it is", () =>
    Effect.gen(function* () {
      const { ledger, run, submitted, write, directory } = yield* held("june-1,alice,usdc,0x1,5")
      assert.isFalse(submitted.fails, submitted.said)
      yield* write("july", '"july-1\u001b[8m\njuly-2",alice,usdc,0xbad,1000000')
      const refused = yield* run("run", `${directory}/july.csv`, "--hold", "--yes")
      assert.isTrue(refused.fails)
      assert.include(refused.said, "july.csv:2: reference: has the invisible character \\u001b")
      assert.include(refused.said, "nothing was submitted")
      yield* change(
        ledger,
        "UPDATE payouts SET reference = 'june-1' || char(10, 27) || '[8m', destination = '0x1' || char(27) || '[8m'"
      )
      const { said } = yield* run("list")
      assert.lengthOf(said.split("\n"), 1)
      assert.include(said, String.raw`june-1\u000a\u001b[8m  held`)
      const approved = yield* run("approve", "june", "--by", "bob", "--yes")
      assert.include(approved.said, String.raw`0x1\u001b[8m  5 usdc from alice`)
      assert.notInclude(approved.said, "\u001b")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("approve shows the largest sums first, of each asset", () =>
    Effect.gen(function* () {
      const small = Array.from({ length: 15 }, (_, nth) => `a-${nth},alice,usdc,0xa${nth},${nth + 1}`)
      const { run } = yield* held(...small, "b-1,alice,usdc,0xbad,1000000", "c-1,alice,btc,0xbtc,0.5")
      const { said } = yield* run("approve", "june", "--by", "bob", "--yes")
      const shown = said.split("\n").filter((line) => line.startsWith("0x"))
      assert.deepStrictEqual(shown.map((line) => line.split(/ +/).slice(0, 3).join(" ")).slice(0, 4), [
        "0xbad 1000000 usdc",
        "0xbtc 0.5 btc",
        "0xa14 15 usdc",
        "0xa13 14 usdc"
      ])
      assert.lengthOf(shown, 10)
      assert.include(said, "and 7 more")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("run says how many payouts are equal to paid ones under other references", () =>
    Effect.gen(function* () {
      const { directory, ledger, run, write } = yield* held("0001,alice,usdc,0x1,5", "0002,alice,usdc,0x2,5")
      yield* change(ledger, "UPDATE payouts SET state = 'paid'")
      yield* write("again", "1,alice,usdc,0x1,5", "2,alice,usdc,0x2,5.00", "3,alice,usdc,0x3,5")
      const { said } = yield* run("run", `${directory}/again.csv`, "--hold", "--yes")
      assert.include(said, "look: 2 of 3 payouts are equal to payouts that were paid, or may have been, under other")
      assert.include(said, "(1 is equal to 0001)")
      const once = yield* run("run", `${directory}/again.csv`, "--hold", "--yes")
      assert.notInclude(once.said, "look:")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("archives what ended before a time, after a question, and each row of the file stays known", () =>
    Effect.gen(function* () {
      const rows = ["june-1,alice,usdc,0x1,5", "june-2,alice,usdc,0x2,5", "june-3,alice,usdc,0x3,5"]
      const { directory, ledger, run } = yield* held(...rows)
      yield* change(ledger, "UPDATE payouts SET state = 'paid'")
      yield* change(ledger, "UPDATE payout_events SET at = 1780272000000")
      const archive = (time: string) => run("archive", "--before", time)
      assert.isTrue((yield* Effect.provide(archive("2026-06-01"), terminal("n"))).fails)
      assert.include((yield* Effect.provide(archive("2026-06-01"), terminal("y"))).said, "0 payouts archived")
      assert.include((yield* Effect.provide(archive("2026-06-02"), terminal("y"))).said, "2 payouts archived")
      assert.include((yield* run("status")).said, "1 paid")
      assert.include((yield* run("status", "--batch", "june")).said, "3 paid")
      assert.include((yield* run("show", "june-1")).said, "submitted")
      const again = yield* run("run", `${directory}/june.csv`, "--hold", "--yes")
      assert.isFalse(again.fails, again.said)
      assert.include((yield* run("status", "--batch", "june")).said, "3 paid")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live.each([[[]], [["--batch", "june"]]] as const)("decide is about the attempt that it has shown: %j", ([batch]) =>
    Effect.gen(function* () {
      const { ledger, run } = yield* held("june-1,alice,usdc,0x1,5")
      yield* change(ledger, "UPDATE payouts SET state = 'undecided', attempt = 1, intent_at = 1, valid_until = 2")
      const target = batch.length === 0 ? ["june-1"] : batch
      const decide = run("decide", ...target, "--not-paid", "--unchecked", "--by", "ada", "--reason", "looked")
      const meanwhile = change(ledger, "UPDATE payouts SET attempt = attempt + 1")
      const late = yield* Effect.provide(decide, terminal("y", meanwhile))
      assert.isTrue(late.fails)
      assert.include(late.said, "june-1 has changed since it was shown: look at it again")
      const now = yield* Effect.provide(decide, terminal("y"))
      assert.isFalse(now.fails, now.said)
      assert.include(now.said, "1 payout will be sent again by custody payouts run")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})

describe("custody payouts dry-run", () => {
  it.live.each([[["june-1,alice,usdc,0x1,1"]], [[]]] as const)("%j exits with 2 if nothing was checked", ([rows]) =>
    Effect.gen(function* () {
      const directory = yield* inDirectory
      const file = `${directory}/june.csv`
      yield* FileSystem.FileSystem.use((files) => files.writeFileString(file, [columns, ...rows, ""].join("\n")))
      const env = { CUSTODY_BASE_URL: "http://127.0.0.1:9/api", CUSTODY_SESSION_FILE: `${directory}/session.db` }
      const { failure, said } = yield* custody(["payouts", "dry-run", "--ledger", `${directory}/ledger.db`, file], env)
      assert.include(said, "nothing was checked")
      assert.strictEqual(Runtime.getErrorExitCode(failure), 2)
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )

  it.live("a row whose reference or note the ledger has for another order is a mistake, as it is for run", () =>
    Effect.gen(function* () {
      const directory = yield* inDirectory
      const file = `${directory}/june.csv`
      const write = (...rows: ReadonlyArray<string>) =>
        FileSystem.FileSystem.use((fileSystem) =>
          fileSystem.writeFileString(file, [`${columns},note`, ...rows, ""].join("\n"))
        )
      const run = (...args: ReadonlyArray<string>) =>
        custody(["payouts", ...args, "--ledger", `${directory}/ledger.db`, file])
      yield* write("june-1,alice,usdc,0x1,1,", "june-2,alice,usdc,0x2,2,")
      assert.isFalse((yield* run("run", "--hold", "--yes")).fails)

      yield* write("june-1,alice,usdc,0x1,1,", "june-2,alice,usdc,0x2,3,")
      const changed = yield* run("dry-run")
      assert.isTrue(changed.fails)
      const conflict = (line: number, reference: string) =>
        `${file}:${line}: reference: the ledger has another order under ${reference}, or under its note`
      assert.include(changed.said, conflict(3, "june-2"))
      assert.match(changed.said, /^ *1 mistake$/m)
      assert.notInclude(changed.said, "june-1")
      const refused = yield* run("run", "--yes")
      assert.include(refused.said, conflict(3, "june-2"))
      assert.include(refused.said, "nothing was submitted")

      yield* write("june-1,alice,usdc,0x1,9,", "june-3,alice,usdc,0x2,2,june-2")
      const both = yield* run("dry-run")
      assert.isTrue(both.fails)
      assert.include(both.said, conflict(2, "june-1"))
      assert.include(both.said, conflict(3, "june-3"))
      assert.match(both.said, /^ *2 mistakes$/m)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

it.live("custody payouts run names the option that is wrong, and what it needs", () =>
  Effect.gen(function* () {
    const directory = yield* inDirectory
    const file = `${directory}/june.csv`
    yield* FileSystem.FileSystem.use((files) => files.writeFileString(file, `${columns}\njune-1,alice,usdc,0x1,1\n`))
    for (const [option, value, reason] of [
      ["--undecided-after", "15 seconds", "must be a duration of at least 30s"],
      ["--shown-within", "Infinity", "must be a duration of at least 0"],
      ["--in-flight", "0", "must be a positive integer"]
    ] as const) {
      const args = ["payouts", "run", file, "--ledger", `${directory}/ledger.db`, "--yes", option, value]
      const { fails, said } = yield* custody(args)
      assert.isTrue(fails)
      assert.isTrue(said.endsWith(`  ${option}: ${reason}`), said)
    }
  }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
)

describe("a first payout to confirm", () => {
  const shown = (answer: string) => {
    const confirmation = { contract: "c", assetId: "usdc", reference: "x-1", request: "", answer }
    const payout = { amount: Amount.of("2.50"), clientId: "alice", note: "x-1", state: "paid", to: "0xabc" } as Payout
    return FirstPayout.show({ ...confirmation, shownAt: null, isFinal: true }, payout).known
  }
  const known = {
    ordered: "2.50 usdc from alice to 0xabc, note x-1",
    compare:
      "the client, the asset, the recipient, the amount in units of usdc, and the note, in the request and in the transaction",
    "read as": "paid"
  }

  it.each(['{"data":{"memo":"x-1 "}}', '[{"text":["x\\u002d1"]}]', '{"data":{"memo":"x-1"} (cut', ""])(
    "%s is shown without a hint",
    (answer) => assert.deepStrictEqual(shown(answer), known)
  )

  it.each(['{"data":{"id":"tx-1","note":null}}', "{}"])("%s, which does not have the note, gets a hint", (answer) =>
    assert.deepStrictEqual(shown(answer), { ...known, "look:": "the transaction does not show the note" })
  )
})

it.live.each([
  ["alice,usdc", "12.50", 0, "enough"],
  ["alice,usdc", "100.01", 2, "not enough"],
  ["nobody,usdc", "1", 2, "no such client"]
] as const)("custody payouts dry-run of %s, %s exits with %s: %s", ([of, amount, code, verdict]) =>
  Effect.gen(function* () {
    const directory = yield* inDirectory
    const file = `${directory}/june.csv`
    yield* FileSystem.FileSystem.use((fileSystem) =>
      fileSystem.writeFileString(file, `${columns}\njune-1,${of},0x1,${amount}\n`)
    )
    const { baseUrl, fund, issueApiKey } = yield* CustodyEmulator
    yield* fund({ clientId: "alice", assetId: "usdc", amount: "100" })
    const env = {
      CUSTODY_BASE_URL: baseUrl,
      CUSTODY_ENVIRONMENT: "emulator",
      CUSTODY_API_KEY: Redacted.value(yield* issueApiKey()),
      CUSTODY_SESSION_FILE: `${directory}/session.db`
    }
    const args = ["payouts", "dry-run", "--ledger", `${directory}/ledger.db`, file]
    const { failure, said } = yield* custody(args, env)
    assert.match(said, new RegExp(`${verdict}$`, "m"))
    assert.include(said, "nothing was submitted or sent")
    assert.strictEqual(failure === undefined ? 0 : Runtime.getErrorExitCode(failure), code)
  }).pipe(Effect.provide([NodeServices.layer, CustodyEmulator.layerServer()], { local: true }))
)

describe("the progress of a run", () => {
  it("progress shows what this run has ended, its rate, and the time that is left", () => {
    const samples = [
      { at: 0, states: { paid: 100, ready: 500 } },
      { at: 10_000, states: { paid: 200, ready: 392, sending: 8 } }
    ]
    assert.strictEqual(Progress.render(samples), "100/500  392 ready, 8 sending, 200 paid  10.0/s, 0:40 left")
    assert.strictEqual(
      Progress.render([...samples, { at: 20_000, states: { paid: 599, undecided: 1 } }]),
      "499/500  1 undecided, 599 paid"
    )
  })

  it("an undecided payout has not ended, and the line names it first", () => {
    const samples = [
      { at: 0, states: { ready: 61 } },
      { at: 10_000, states: { undecided: 1, paid: 40, refused: 10, failed: 10 } }
    ]
    assert.strictEqual(Progress.render(samples), "60/61  1 undecided, 40 paid, 10 failed, 10 refused")
  })

  it.effect("while no payout changes, no line is printed", () =>
    Effect.gen(function* () {
      const { show } = yield* Progress.make
      for (const states of [{ unknown: 2 }, { unknown: 2 }, { unknown: 1, paid: 1 }]) {
        yield* show(states)
        yield* TestClock.adjust("15 seconds")
      }
      assert.deepStrictEqual(yield* TestConsole.errorLines, [
        "0/2  2 unknown",
        "1/2  1 unknown, 1 paid  0.1/s, 0:15 left"
      ])
    })
  )
})
