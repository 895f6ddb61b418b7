import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { custody } from "./runCustody.ts"

describe("a wrong command line", () => {
  it.effect.each([
    [["payouts", "run", "--hlod"], "custody payouts run: there is no option --hlod, did you mean --hold?"],
    [["emulator", "--zzz"], "custody emulator: there is no option --zzz"],
    [["contract", "lst"], "custody contract: there is no command lst, did you mean list?"],
    [["emulator", "--latency", "soon"], 'custody emulator: Invalid value for flag --latency: "soon".'],
    [["payouts", "run", "--wait", "soon"], "custody payouts run: Invalid value for flag --wait"],
    [
      ["mcp", "--max-sum", "usdc=abc", "--max-count", "5"],
      'custody mcp: Invalid value for flag --max-sum: "usdc=abc". Expected: ASSET=AMOUNT, such as usdc=5000'
    ],
    [
      ["mcp", "--max-sum", "usdc=100", "--max-sum", "usdc=200", "--max-count", "5"],
      'custody mcp: Invalid value for flag --max-sum: "usdc=200". Expected: one sum for usdc'
    ],
    [["call"], "custody call: Missing required argument: operation"]
  ] as const)("%j gets one line for its mistake, without the help", ([args, line]) =>
    Effect.gen(function* () {
      const { fails, said } = yield* custody(args)
      assert.isTrue(fails)
      assert.isTrue(said.startsWith(line), said)
      assert.notInclude(said, "\n")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("custody call of an unknown operation names the command that lists them", () =>
    Effect.gen(function* () {
      const { fails, said } = yield* custody(["call", "vaults.detials"])
      assert.isTrue(fails)
      assert.isTrue(said.endsWith('there is no operation "vaults.detials": see custody contract list'), said)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.effect("an option cannot control the terminal", () =>
    Effect.gen(function* () {
      const { said } = yield* custody(["emulator", "--\u001b[2J"])
      assert.notInclude(said, "\u001b")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})

it.effect("the help of a command points to the global flags, and does not list them", () =>
  Effect.gen(function* () {
    const { said } = yield* custody(["payouts", "dry-run", "--help"])
    assert.include(said, "--ledger FILE.db")
    assert.include(said, "Run 'custody --help' for global flags")
    assert.notInclude(said, "--log-level")
    assert.include((yield* custody(["--help"])).said, "--log-level")
  }).pipe(Effect.provide(NodeServices.layer))
)

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
      assert.match(
        said.trim(),
        /^ERROR\s+there is no (contract )?(\S+\/)?june\.csv(: write it, or name its file in CUSTODY_CONTRACT_FILE)?$/
      )
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
