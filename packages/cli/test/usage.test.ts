import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
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

describe("custody contract accept without a user name", () => {
  const proposed = JSON.stringify({ proposed: { "wallets.get": true } })

  /** Confirms a read, and returns what is printed and the file afterwards. */
  const accept = Effect.fnUntraced(function* (args: ReadonlyArray<string>, env: Readonly<Record<string, string>> = {}) {
    const fileSystem = yield* FileSystem.FileSystem
    const path = `${yield* inDirectory}/contract.json`
    yield* fileSystem.writeFileString(path, proposed)
    const run = yield* custody(["contract", "accept", "wallets.get", "--yes", "--contract", path, ...args], env)
    return { ...run, after: yield* fileSystem.readFileString(path) }
  })

  it.effect.each([[[]], [["--by", " "]]] as const)("accept %j asks for --by, and confirms nothing", ([args]) =>
    Effect.gen(function* () {
      const { after, fails, said } = yield* accept(args)
      assert.isTrue(fails)
      assert.isTrue(said.startsWith("custody contract accept: add --by NAME"), said)
      assert.strictEqual(after, proposed)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect.each([
    [["--by", "anna"], {}],
    [[], { USER: "anna" }],
    [[], { USERNAME: "anna" }],
    [["--by", "anna"], { USER: "ben" }]
  ] as const)("accept %j with %j is confirmed by anna", ([args, env]) =>
    Effect.gen(function* () {
      const { after, said } = yield* accept(args, env)
      assert.include(said, "1 confirmed by anna")
      assert.strictEqual(JSON.parse(after).operations["wallets.get"].confirmed.by, "anna")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
