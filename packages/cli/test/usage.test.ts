import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Option } from "effect"
import { userInfo } from "node:os"
import { custody, inDirectory } from "./runCustody.ts"

describe("a wrong command line", () => {
  it.effect.each([
    [["payouts", "run", "--hlod"], "custody payouts run: there is no option --hlod, did you mean --hold?"],
    [["emulator", "--zzz"], "custody emulator: there is no option --zzz"],
    [["contract", "lst"], "custody contract: there is no command lst, did you mean list?"],
    [["emulator", "--latency", "soon"], 'custody emulator: Invalid value for flag --latency: "soon".'],
    [["payouts", "run", "--wait", "soon"], 'custody payouts run: --wait: "soon" is no duration'],
    [["call"], "custody call: Missing required argument: operation"]
  ] as const)("%j gets one line for its mistake, without the help", ([args, line]) =>
    Effect.gen(function* () {
      const { fails, said } = yield* custody(args)
      assert.isTrue(fails)
      assert.isTrue(said.startsWith(line), said)
      assert.notInclude(said, "\n")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect.each([
    ["vaults.detials", 'there is no operation "vaults.detials": did you mean vaults.details?'],
    ["transaction.send", 'there is no operation "transaction.send": did you mean transactions.send?'],
    ["money", 'there is no operation "money": see custody contract list']
  ] as const)("custody call %s names the nearest operation", ([operation, message]) =>
    Effect.gen(function* () {
      const { fails, said } = yield* custody(["call", operation])
      assert.isTrue(fails)
      assert.isTrue(said.endsWith(message), said)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("an option cannot control the terminal", () =>
    Effect.gen(function* () {
      const { said } = yield* custody(["emulator", "--\u001b[2J"])
      assert.notInclude(said, "\u001b")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("the name of the person who accepts", () => {
  const proposed = JSON.stringify({ proposed: { "wallets.get": true } })

  /** Confirms a read, and returns what is printed and the file afterwards. */
  const accept = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
    const fileSystem = yield* FileSystem.FileSystem
    const path = `${yield* inDirectory}/contract.json`
    yield* fileSystem.writeFileString(path, proposed)
    const run = yield* custody(["contract", "accept", "wallets.get", "--yes", "--contract", path, ...args])
    return { ...run, after: yield* fileSystem.readFileString(path) }
  })

  it.effect("accept asks for --by if its name is blank, and confirms nothing", () =>
    Effect.gen(function* () {
      const { after, fails, said } = yield* accept(["--by", " "])
      assert.isTrue(fails)
      assert.isTrue(said.startsWith("custody contract accept: add --by NAME"), said)
      assert.strictEqual(after, proposed)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("accept is confirmed by --by, else by the user of the operating system", () =>
    Effect.gen(function* () {
      const { after } = yield* accept(["--by", "anna"])
      assert.strictEqual(JSON.parse(after).operations["wallets.get"].confirmed.by, "anna")
      const user = yield* Effect.option(Effect.try(() => userInfo().username))
      const { said } = yield* accept([])
      assert.include(
        said,
        Option.match(user, { onNone: () => "add --by NAME", onSome: (name) => `1 confirmed by ${name}` })
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

describe("a file that is missing", () => {
  it.live.each([
    ["payouts", "dry-run", "june.csv"],
    ["contract", "check", "june.csv"],
    ["call", "vaults.details"]
  ])("%s %s names the missing file, and nothing else", (command) =>
    Effect.gen(function* () {
      const env = { CUSTODY_BASE_URL: "http://127.0.0.1:1/api", CUSTODY_CONTRACT_FILE: "june.csv" }
      const { fails, said } = yield* custody(command, env)
      assert.isTrue(fails)
      assert.match(said.trim(), /^ERROR\s+there is no (\S+\/)?june\.csv$/)
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
