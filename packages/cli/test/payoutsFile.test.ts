import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Amount } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import type { Payout } from "@effect-custody/ledger/Payout"
import { Effect, FileSystem, Redacted, Runtime } from "effect"
import { TestClock, TestConsole } from "effect/testing"
import * as Csv from "../src/payouts/csv.ts"
import * as FirstPayout from "../src/payouts/firstPayout.ts"
import * as Progress from "../src/payouts/progress.ts"
import { custody, inDirectory } from "./runCustody.ts"

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

describe("custody payouts dry-run", () => {
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
      assert.include((yield* run("run", "--yes")).said, "the ledger has other orders under june-2")

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
  const known = { ordered: "2.50 usdc from alice to 0xabc, note x-1", "read as": "paid" }

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
