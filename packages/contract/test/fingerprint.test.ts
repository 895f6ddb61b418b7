import { CustodyClient, Environment } from "@effect-custody/core"
import { ServiceContract, Wire } from "@effect-custody/contract"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { TokenStore } from "@effect-custody/authentication"
import { Custody, CustodyApi, Transactions } from "@effect-custody/sdk"
import { CustodyTest } from "@effect-custody/testing"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

type Contract = ServiceContract.ContractOf<typeof CustodyApi>

const money = [Transactions.send, Transactions.list, Transactions.get]

const client = (environment: Environment.Environment) =>
  Custody.layer({ environment }).pipe(Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory]))

const address = "http://127.0.0.1:4010/api/integration"
const emulator = client(Environment.emulator(address))
const loopback = client(Environment.local(address))
const production = client(Environment.production({ subdomain: "acme", host: "custody.example" }))

const contractOf = (operations: ReadonlyArray<(typeof money)[number]>) => CustodyClient.contractOf(operations)

const under = (contract: Contract, operations: ReadonlyArray<(typeof money)[number]> = money) =>
  contractOf(operations).pipe(
    Effect.provide(Layer.provide(loopback, ServiceContract.layer(contract, CustodyApi))),
    Effect.map(({ fingerprint }) => fingerprint)
  )

const code = (
  digits: number,
  read: (theirs: any) => any = () => ({}),
  route: "POST /payouts" | "POST /other" = "POST /payouts"
) =>
  Wire.make(Transactions.send, {
    route,
    request: { body: { units: Wire.Minor(digits) }, write: ({ amount }) => ({ body: { units: amount } }), read }
  })

/** A right contract of the money path, in data. */
const right = {
  defaults: {
    prefix: "/v2",
    casing: "snake_case",
    amounts: { minor: 6 },
    times: "seconds",
    payload: "result",
    paging: { style: "offset" },
    values: { status: { COMPLETED: "done", REJECTED: "broken" } }
  },
  operations: {
    "transactions.send": {
      route: "/payouts",
      fields: { to: "destination", note: "reference" },
      constants: { kind: "EXTERNAL" }
    },
    "transactions.list": { fields: { clientId: "account" }, response: { status: { at: "state", values: "status" } } },
    "transactions.get": true,
    "wallets.get": true
  }
} as const satisfies Contract

const { defaults, operations } = right
const send = operations["transactions.send"]
const list = operations["transactions.list"]
const withDefaults = (change: Contract["defaults"]): Contract => ({ ...right, defaults: { ...defaults, ...change } })
const withSend = (change: object): Contract => ({
  ...right,
  operations: { ...operations, "transactions.send": { ...send, ...change } }
})
const withList = (change: object): Contract => ({
  ...right,
  operations: { ...operations, "transactions.list": { ...list, ...change } }
})

/** Each changes how money is written or read. */
const changes: Readonly<Record<string, Contract>> = {
  "eight decimal places for six": withDefaults({ amounts: { minor: 8 } }),
  "eight decimal places in `send` only": withSend({ fields: { ...send.fields, amount: { as: { minor: 8 } } } }),
  "eight decimal places in the list only": withList({ response: { ...list.response, amount: { as: { minor: 8 } } } }),
  "`to` and `note` swapped": withSend({ fields: { to: "reference", note: "destination" } }),
  "another constant": withSend({ constants: { kind: "INTERNAL" } }),
  "another unit of times": withDefaults({ times: "milliseconds" }),
  "another paging": withDefaults({ paging: { style: "page" } }),
  "no paging": withDefaults({ paging: "none" }),
  "another filter": withList({ fields: { clientId: "owner" } }),
  "another trusted filter": withList({ proven: ["clientId"] }),
  "another word for a status": withDefaults({ values: { status: { COMPLETED: "broken", REJECTED: "done" } } }),
  "another envelope": withDefaults({ payload: "data" }),
  "another prefix": withDefaults({ prefix: "/v1" }),
  "another route": withSend({ route: "/transfers" }),
  "another id": withSend({ response: { id: "reference" } }),
  code: { ...right, operations: { ...operations, "transactions.send": code(6) } },
  "code with eight decimal places": { ...right, operations: { ...operations, "transactions.send": code(8) } },
  "code with another path": {
    ...right,
    operations: { ...operations, "transactions.send": code(6, undefined, "POST /other") }
  }
}

describe("the fingerprint of a contract", () => {
  it.effect("is another after each change that money depends on", () =>
    Effect.gen(function* () {
      const contracts = { "the right one": right, ...changes }
      const seen = new Map<string, string>()
      for (const [name, contract] of Object.entries(contracts)) {
        const fingerprint = yield* under(contract)
        assert.match(fingerprint, /^[0-9a-f]{16}$/)
        assert.isUndefined(seen.get(fingerprint), `${name} has the fingerprint of ${seen.get(fingerprint)}`)
        seen.set(fingerprint, name)
      }
    })
  )

  it.effect("does not depend on the order of keys, of operations, on remarks, or on other operations", () =>
    Effect.gen(function* () {
      const reversed = (value: unknown): unknown =>
        typeof value === "object" && value !== null && !Array.isArray(value)
          ? Object.fromEntries(
              Object.entries(value)
                .map(([key, inner]) => [key, reversed(inner)])
                .reverse()
            )
          : value
      const remarks = { note: "see page 7, compared by anna" }
      const same: ReadonlyArray<Contract> = [
        reversed(right) as Contract,
        JSON.parse(JSON.stringify(right)) as Contract,
        { ...withSend(remarks), note: "ours" },
        { ...right, operations: { ...operations, "wallets.get": { route: "/wallet/:walletId" } } }
      ]
      const fingerprint = yield* under(right)
      for (const contract of same) assert.strictEqual(yield* under(contract), fingerprint)
      assert.strictEqual(yield* under(right, [...money, ...money].reverse()), fingerprint)
      assert.notStrictEqual(yield* under(right, [Transactions.send]), fingerprint)
    })
  )

  it.effect("of code is its data, its schemas and its own source text, not the text of what it calls", () =>
    Effect.gen(function* () {
      const of = (entry: Wire.Code<typeof Transactions.send>) =>
        under({ operations: { "transactions.send": entry } }, [Transactions.send])
      const first = yield* of(code(6, () => ({})))
      assert.strictEqual(yield* of(code(6, () => ({}))), first)
      assert.notStrictEqual(yield* of(code(6, ({ units }) => units)), first)
      assert.notStrictEqual(yield* of({ ...code(6, () => ({})), success: [201] }), first)
    })
  )
})

describe("what a client says about its contract", () => {
  const assumed = { fingerprint: "assumed", isEmulated: true }

  it.effect("an emulator in its own wire is emulated", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* contractOf(money).pipe(Effect.provide(CustodyEmulator.layer)), assumed)
      assert.deepStrictEqual(yield* contractOf(money).pipe(Effect.provide(emulator)), assumed)
      assert.deepStrictEqual(yield* contractOf(money).pipe(Effect.provide(CustodyTest.stub({}))), assumed)
    })
  )

  it.effect("a service at any address is not, also on the loopback, and neither is one with a wire of its own", () =>
    Effect.gen(function* () {
      const real = { fingerprint: "assumed", isEmulated: false }
      for (const layer of [production, loopback]) {
        assert.deepStrictEqual(yield* contractOf(money).pipe(Effect.provide(layer)), real)
      }
      const accepted = Layer.provide(production, ServiceContract.acceptAssumed)
      assert.deepStrictEqual(yield* contractOf(money).pipe(Effect.provide(accepted)), real)
      const contract = ServiceContract.layer({ operations: { "wallets.get": true } }, CustodyApi)
      for (const layer of [Layer.provide(emulator, contract), Layer.provide(CustodyEmulator.layer, contract)]) {
        assert.isFalse((yield* contractOf(money).pipe(Effect.provide(layer))).isEmulated)
      }
      // The contract may also be provided to a call.
      assert.isFalse((yield* contractOf(money).pipe(Effect.provide(Layer.merge(emulator, contract)))).isEmulated)
    })
  )
})
