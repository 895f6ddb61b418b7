/** `custody contract accept`: the last step from a service's document to a contract in force. */
import { command } from "@effect-custody/cli/Command"
import { type ContractFile, ServiceContract } from "@effect-custody/contract"
import { Authentication, CustodyApi, Nfts, Transactions } from "@effect-custody/sdk"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Result } from "effect"
import { Command } from "effect/cli"
import { TestConsole } from "effect/testing"
import { terminal } from "./terminal.ts"

/** Everything but one operation is proposed; of some a person must look at something. */
const noted: Readonly<Record<string, ContractFile.Differences>> = {
  "transactions.send": {
    path: "/payouts",
    note: "to be placed in the body: to",
    source: { page: "paths → /v2/payouts → post" }
  },
  "clients.list": { note: "to be placed in the query: search" }
}
const imported: ContractFile.File = {
  source: { document: "Acme 2", date: "2026-11-20" },
  defaults: { prefix: "/v2" },
  operations: {},
  proposed: Object.fromEntries(
    CustodyApi.operations
      .filter(({ operation }) => operation !== "nfts.create")
      .map(({ operation }) => [operation, noted[operation] ?? true] as const)
  )
}

/** What a run leaves of the file, and what it prints or fails with. */
const accept = Effect.fnUntraced(function* (args: ReadonlyArray<string>, keys = "", file: object = imported) {
  const fileSystem = yield* FileSystem.FileSystem
  const path = yield* fileSystem.makeTempFileScoped()
  yield* fileSystem.writeFileString(path, JSON.stringify(file))
  const run = Command.runWith(command, { version: "0" })(["contract", "accept", "--contract", path, ...args])
  const outcome = yield* Effect.result(run.pipe(Effect.provide(terminal(keys))))
  const after = yield* fileSystem.readFileString(path)
  const checked = Result.getOrThrow(ServiceContract.fromJson(after, CustodyApi))
  const printed = (yield* TestConsole.logLines).join("\n")
  const said = Result.isFailure(outcome) ? JSON.stringify(outcome.failure) : printed
  return { outcome, checked, confirmed: Object.keys(checked.operations ?? {}), said }
}, Effect.scoped)

const here = Effect.provide(Layer.mergeAll(NodeServices.layer, TestConsole.layer))
const anna = ["--by", "anna"]
const entry = ({ operations = {} }: ContractFile.File, name: string) => {
  const said = operations[name]
  assert(said !== undefined && said !== true)
  return said
}

describe("custody contract accept", () => {
  it.effect("accept confirms a named write, and records the person, the date and the document", () =>
    Effect.gen(function* () {
      const { checked, confirmed } = yield* accept(["transactions.send", "--yes", ...anna])
      assert.deepStrictEqual(confirmed, ["transactions.send"])
      const said = entry(checked, "transactions.send")
      assert.deepStrictEqual(said.confirmed, { by: "anna", date: "1970-01-01" })
      assert.deepStrictEqual(said.source, {
        document: "Acme 2",
        date: "2026-11-20",
        page: "paths → /v2/payouts → post"
      })
      assert.strictEqual(said.path, "/payouts")
      assert.notProperty(checked.proposed, "transactions.send")
    }).pipe(here)
  )

  it.effect("accept --reads confirms the reads without open points, and no write", () =>
    Effect.gen(function* () {
      const { checked, confirmed } = yield* accept(["--reads", "--yes", ...anna])
      const reads = CustodyApi.operations.filter(({ safety }) => safety === "read").map(({ operation }) => operation)
      assert.sameMembers(
        confirmed,
        reads.filter((name) => name !== "clients.list")
      )
      assert.isAbove(confirmed.length, 3)
      assert.strictEqual(
        Object.keys(checked.proposed ?? {}).length,
        CustodyApi.operations.length - 1 - confirmed.length
      )
    }).pipe(here)
  )

  const refused: ReadonlyArray<readonly [args: ReadonlyArray<string>, said: string]> = [
    [["--yes"], "nothing is confirmed by default"],
    [[], "nothing is confirmed by default"],
    [
      ["transactions.send", "transactions.transfer", "--yes"],
      "confirmed on its own: custody contract accept transactions.send"
    ],
    [["transactions.send", "--reads", "--yes"], "confirmed on its own: custody contract accept transactions.send"],
    [["transactions.send"], "no terminal to ask for confirmation"],
    [["nfts.create", "--yes"], "there is no proposal for nfts.create"],
    [["transactions.sned", "--yes"], "there is no proposal for transactions.sned"]
  ]
  it.effect.each(refused)("accept refuses the arguments %j and changes nothing", ([args, message]) =>
    Effect.gen(function* () {
      const { checked, said } = yield* accept([...args, ...anna])
      assert.include(said, message)
      assert.deepStrictEqual(checked, imported)
    }).pipe(here)
  )

  it.effect("accept asks about each write separately, and confirms the ones that get a yes", () =>
    Effect.gen(function* () {
      const names = ["transactions.send", "wallets.get", "wallets.balance", "tokens.mint"]
      const { confirmed, said } = yield* accept([...names, ...anna], "yny")
      assert.deepStrictEqual(confirmed, ["wallets.get", "wallets.balance", "tokens.mint"])
      assert.include(said, "transactions.send  POST /v2/payouts  changes something")
      assert.include(said, "look: to be placed in the body: to")
      assert.include(said, 'defaults: {"prefix":"/v2"}')
      assert.include(said, `3 confirmed by anna, ${CustodyApi.operations.length - 4} still proposed (no effect yet): `)
    }).pipe(here)
  )

  it.effect("accept without names asks about every proposal, and keeps each confirmation", () =>
    Effect.gen(function* () {
      const { confirmed } = yield* accept(anna, `yy${"n".repeat(CustodyApi.operations.length - 3)}`)
      assert.deepStrictEqual(confirmed, ["authentication.generateTokens", "authentication.refreshToken"])
    }).pipe(here)
  )
})

describe("a proposal", () => {
  it.effect("a proposed operation is not in force, and the defaults do not apply to it", () =>
    Effect.gen(function* () {
      const contract = yield* ServiceContract.ServiceContract
      assert.isFalse(contract.confirms(Transactions.send))
      assert.strictEqual(contract.wire(Authentication.generateTokens)?.route.path, "/auth/generate-tokens")
      // The defaults apply to an operation that is not proposed.
      assert.strictEqual(contract.wire(Nfts.create)?.route.path, "/v2/nfts/create")
    }).pipe(
      Effect.provide(ServiceContract.layer(imported as ServiceContract.ContractOf<typeof CustodyApi>, CustodyApi))
    )
  )
})
