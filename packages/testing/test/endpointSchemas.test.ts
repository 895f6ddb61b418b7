/** The schemas of endpoints' values, and endpoints in services of a program. */
import { CustodyClient, InvalidApiKey, OutcomeUnknown, TransportError } from "@effect-custody/core"
import { Amount, Authentication, Clients, CustodyApi, Transactions, Vaults } from "@effect-custody/sdk"
import { CustodyTest, Generators } from "@effect-custody/testing"
import * as Operations from "@effect-custody/sdk/Operations"
import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Context, DateTime, Effect, Equal, Layer, Redacted, Schema, SchemaAST } from "effect"
import { Workflow, WorkflowEngine } from "effect/workflow"
import type {
  Keyed,
  Read,
  ReadOfResource,
  SpecifiedReadWithoutInput,
  WriteOfResource
} from "../../../test/support/errorTags.ts"

const names = CustodyApi.operations
  .map(({ operation }) => operation)
  .filter((name) => !name.startsWith("authentication."))

interface AnyEndpoint {
  readonly input: Json
  readonly output: Json
  readonly errors: Json
}
type Json = Schema.Codec<unknown, Schema.Json>

/** Writes a value as JSON text, and reads it again. */
const throughText = (schema: Json, value: unknown): unknown =>
  Schema.decodeUnknownSync(schema)(JSON.parse(JSON.stringify(Schema.encodeUnknownSync(schema)(value))))

const tags = (schema: Schema.Top): ReadonlyArray<string> =>
  SchemaAST.isUnion(schema.ast)
    ? schema.ast.types.map((type) => {
        const [, identifier] = /([A-Za-z]+)$/.exec(String(SchemaAST.resolveIdentifier(type)))!
        return identifier!
      })
    : []

/** All of the tags, which the compiler compares with a union. */
const sorted = <Tag extends string>(all: Readonly<Record<Tag, true>>): ReadonlyArray<string> =>
  Object.keys(all).toSorted()

const refusals = {
  InvalidAccessToken: true,
  InvalidRefreshToken: true,
  TokenExpired: true,
  ValidationFailed: true,
  BadRequest: true,
  RateLimited: true,
  OtherApiError: true
} as const

const noToken = {
  NoSession: true,
  SessionLost: true,
  SessionAmbiguous: true,
  RefreshUnavailable: true,
  StoredSessionInvalid: true,
  SessionOfAnotherEnvironment: true,
  TokenStoreError: true
} as const

const payment = {
  clientId: "alice",
  assetId: "usdc",
  to: "0x52908400098527886E0F7030069857D2E4169EE7",
  amount: Amount.of("12.50"),
  note: "payout 7f3a"
}

describe("the schemas of an endpoint", () => {
  it.effect("inputs and results of every endpoint pass through JSON text unchanged", () =>
    Effect.gen(function* () {
      for (const name of names as ReadonlyArray<Operations.Name>) {
        const { input, output } = Operations.functions.get(name) as unknown as AnyEndpoint
        const payload = yield* Arbitrary.checkEffect(
          Generators.payload(name),
          (value) => {
            assert.isTrue(Equal.equals(throughText(output, value), value), name)
            return true
          },
          { runs: 20, seed: 1 }
        )
        assert.strictEqual(payload._tag, "Passed", `${name}: ${Arbitrary.formatCheckFailure(payload as never)}`)
        assert.isTrue(SchemaAST.isObjects(input.ast), name)
      }
      assert.isTrue(Equal.equals(throughText(Transactions.send.input, payment), payment))
    })
  )

  it("a field that is undefined is absent from the JSON of an input, unless its absence changes what is moved", () => {
    const transfer = { fromClientId: "alice", toClientId: "bob", assetId: "usdc", amount: Amount.of("3") }
    assert.deepStrictEqual(Schema.encodeSync(Transactions.transfer.input)({ ...transfer, note: undefined }), {
      fromClientId: "alice",
      toClientId: "bob",
      assetId: "usdc",
      amount: "3"
    })
    const undefinedNetwork = { ...payment, networkId: undefined } as unknown as typeof payment
    assert.throws(() => Schema.encodeSync(Transactions.send.input)(undefinedNetwork))
  })

  it("the errors of an endpoint are exactly those of its type, as instances of their classes", () => {
    const rows: ReadonlyArray<readonly [Schema.Top, ReadonlyArray<string>]> = [
      [
        Transactions.send.errors,
        sorted<WriteOfResource>({
          ...refusals,
          ...noToken,
          NotFound: true,
          InputInvalid: true,
          UnconfirmedEndpoint: true,
          NotSent: true,
          OutcomeUnknown: true
        })
      ],
      [
        Clients.create.errors,
        sorted<Keyed>({
          ...refusals,
          ...noToken,
          InputInvalid: true,
          UnconfirmedEndpoint: true,
          NotSent: true,
          OutcomeUnknown: true
        })
      ],
      [
        Vaults.details.errors,
        sorted<SpecifiedReadWithoutInput>({
          ...refusals,
          ...noToken,
          TransportError: true,
          UnexpectedResponse: true
        })
      ],
      [
        Transactions.list.errors,
        sorted<Read>({
          ...refusals,
          ...noToken,
          InputInvalid: true,
          UnconfirmedEndpoint: true,
          TransportError: true,
          UnexpectedResponse: true
        })
      ],
      [
        Transactions.get.errors,
        sorted<ReadOfResource>({
          ...refusals,
          ...noToken,
          NotFound: true,
          InputInvalid: true,
          UnconfirmedEndpoint: true,
          TransportError: true,
          UnexpectedResponse: true
        })
      ]
    ]
    for (const [schema, expected] of rows) assert.deepStrictEqual(tags(schema).toSorted(), expected)

    const unknown = new OutcomeUnknown({
      operation: "transactions.send",
      fingerprint: "7f3a",
      sentAt: DateTime.makeUnsafe("2026-11-20T09:30:00Z"),
      reason: "502",
      lookUp: "transactions.list"
    })
    const read = throughText(Transactions.send.errors, unknown)
    assert.instanceOf(read, OutcomeUnknown)
    assert.strictEqual(read.message, unknown.message)
    const refused = new InvalidApiKey({
      operation: "x",
      status: 400,
      code: "E00401",
      summary: "no",
      errors: { a: [1] }
    })
    assert.deepStrictEqual(throughText(Authentication.generateTokens.errors, refused), refused)
  })

  it("a write's errors have a TransportError only if nothing was sent", () => {
    const lost = new TransportError({ operation: "x", phase: "MaybeProcessed", reason: "ECONNRESET" })
    assert.isTrue(Schema.is(Transactions.get.errors)(lost))
    assert.isFalse(Schema.is(Transactions.send.errors)(lost))
  })

  it("an API key and a refresh token do not become JSON", () => {
    const secret = Redacted.make("one-time key")
    assert.throws(() => Schema.encodeSync(Authentication.generateTokens.input)({ apiKey: secret }))
    assert.throws(() => Schema.encodeSync(Authentication.refreshToken.input)({ refreshToken: secret }))
    assert.throws(() =>
      Schema.encodeSync(Authentication.refreshToken.output)({ accessToken: secret, refreshToken: secret })
    )
  })

  it("a schema is made once", () => {
    assert.strictEqual(Transactions.send.input, Transactions.send.input)
    assert.strictEqual(Transactions.send.output, Transactions.send.output)
    assert.strictEqual(Transactions.send.errors, Transactions.send.errors)
  })

  const Payout = Workflow.make("Payout", {
    payload: { ...Transactions.send.input.fields, order: Schema.String },
    success: Transactions.send.output,
    error: Transactions.send.errors,
    idempotencyKey: ({ order }) => order
  })

  it.effect("a workflow stores the input, the result and the error of an endpoint", () =>
    Effect.gen(function* () {
      const paid = yield* Payout.execute({ ...payment, order: "91c2" })
      assert.strictEqual(paid.id, "t-1")
    }).pipe(
      Effect.provide(
        Payout.toLayer(({ order, ...input }) => Transactions.send({ ...input, note: order })).pipe(
          Layer.provideMerge(WorkflowEngine.layerMemory),
          Layer.provide(CustodyTest.stub({ "transactions.send": () => Effect.succeed({ id: "t-1" }) }))
        )
      )
    )
  )
})

describe("an endpoint without its client", () => {
  class Treasury extends Context.Service<Treasury>()("test/Treasury", {
    make: Effect.gen(function* () {
      const client = yield* CustodyClient
      const payOut = (input: Transactions.SendInput) =>
        Effect.provideService(
          Effect.map(Transactions.send(input), ({ id }) => id),
          CustodyClient,
          client
        )
      return { payOut, details: Effect.provideService(Vaults.details(), CustodyClient, client) }
    })
  }) {
    static readonly layer = Layer.effect(this, this.make)
  }

  const stub = CustodyTest.stub({
    "transactions.send": ({ note }) => Effect.succeed({ id: `t of ${note}` }),
    "vaults.details": () => Effect.succeed({ id: "v-1" })
  })

  it.effect("a service that gives its functions the client has functions that need nothing", () =>
    Effect.gen(function* () {
      const { details, payOut } = yield* Treasury
      const id: string = yield* payOut(payment)
      assert.strictEqual(id, "t of payout 7f3a")
      assert.strictEqual((yield* details).id, "v-1")
    }).pipe(Effect.provide(Treasury.layer.pipe(Layer.provide(stub))))
  )

  it.effect("combinators that take a function call the endpoint", () =>
    Effect.gen(function* () {
      assert.isFalse(Effect.isEffect(Transactions.send))
      const sent = yield* Effect.succeed(payment).pipe(Effect.andThen(Transactions.send))
      assert.strictEqual(sent.id, "t of payout 7f3a")
      const all = yield* Effect.forEach([payment], Transactions.send)
      assert.lengthOf(all, 1)
    }).pipe(Effect.provide(stub))
  )

  it("an endpoint stays a function", () => {
    assert.isTrue(typeof Transactions.send === "function")
    assert.isTrue(Effect.isEffect(Transactions.send.call(undefined, payment)))
    assert.strictEqual(Transactions.send.operation, "transactions.send")
  })
})
