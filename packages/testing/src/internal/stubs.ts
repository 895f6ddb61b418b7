/**
 * A client of stubs. The declarations of the operations check inputs and payloads. A call without a stub is a defect.
 */
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import * as Page from "@effect-custody/core/Page"
import { type OutcomeUnknown, InputInvalid } from "@effect-custody/core/SdkError"
import * as Declaration from "@effect-custody/core/siblings/Declaration"
import * as Operation from "@effect-custody/core/siblings/Operation"
import * as Wires from "@effect-custody/core/siblings/Wires"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { identity } from "effect/Function"
import * as Formatter from "effect/Formatter"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { functions } from "@effect-custody/sdk/Operations"

/** A failure of an operation. */
interface Failure {
  readonly _tag: string
}

/** A stub with its types erased. */
export type Handler = (input: any) => Effect.Effect<unknown, Failure>

const unstubbed = (operation: string, input: unknown, stubbed: ReadonlyArray<string>): string =>
  [
    `${operation} was called with ${Formatter.format(input)}, and this test has no stub for it.`,
    `  It has stubs for ${stubbed.length === 0 ? "nothing" : stubbed.join(", ")}.`,
    `  Add one: CustodyTest.stub({ "${operation}": (input) => Effect.succeed(…) })`
  ].join("\n")

/**
 * A test called an operation without a stub.
 *
 * @since 0.1.0
 * @category errors
 */
export class UnstubbedCall extends Data.TaggedError("UnstubbedCall")<{
  readonly operation: string
  readonly message: string
}> {}

/**
 * A stub returned a value that the contract does not allow.
 *
 * @since 0.1.0
 * @category errors
 */
export class StubInvalid extends Data.TaggedError("StubInvalid")<{
  readonly operation: string
  readonly message: string
}> {}

const isPage = (u: unknown): u is Page.Page<unknown> => typeof u === "object" && u !== null && "items" in u

/** Encodes and decodes a payload, as a call does. Fails if the declaration does not allow the payload. */
const throughWire = (operation: Operation.Any, answer: unknown): Result.Result<unknown, string> => {
  if (functions.get(operation.operation) !== operation) return Result.succeed(answer)
  if (operation.isList && !isPage(answer)) return Result.fail("a list returns a page: CustodyTest.page([…])")
  const encode = Schema.encodeUnknownResult(
    Schema.toCodecJson(Declaration.envelope(operation)) as unknown as Schema.Codec<unknown>,
    { onExcessProperty: "error" }
  )
  const data = isPage(answer)
    ? Object.assign({}, answer.meta, { items: answer.items })
    : Declaration.isList(operation)
      ? { items: answer }
      : answer
  return Result.match(encode({ data }), {
    onFailure: ({ message }) => Result.fail(message),
    onSuccess: (encoded) => Operation.codec(operation).decode({ envelope: encoded }, identity)
  })
}

/** The call that a stub answers, with what its `OutcomeUnknown` tells. */
export const StubbedCall = Context.Reference<Pick<OutcomeUnknown, "fingerprint" | "sentAt"> | undefined>(
  "@effect-custody/testing/StubbedCall",
  {
    defaultValue: () => undefined
  }
)

const callStub = Effect.fnUntraced(function* (handler: Handler, operation: Operation.Any, input: unknown) {
  const name = operation.operation
  const call = {
    fingerprint: Result.getOrElse(Result.map(Operation.encode(operation, input), Operation.fingerprint), () => ""),
    sentAt: yield* DateTime.now
  }
  const returned = yield* handler(input).pipe(Effect.provideService(StubbedCall, call))
  const answer = throughWire(operation, returned)
  if (Result.isSuccess(answer)) return answer.success
  const message = `The stub of ${name} returned what its contract does not allow: ${answer.failure}`
  return yield* Effect.die(new StubInvalid({ operation: name, message }))
})

/** What a client of stubs knows. It remembers no write: a stub is called each time. */
const knowledge: Pick<CustodyClient["Service"], "contractOf" | "factsOf"> = {
  factsOf: () => Effect.succeed({ isConfirmed: true, proven: [], omits: [], place: identity }),
  contractOf: () => Effect.succeed({ fingerprint: Wires.assumed, isEmulated: true })
}

/** A client that calls stubs. */
export const makeClient = (stubs: ReadonlyMap<Declaration.Declaration, Handler>): CustodyClient["Service"] =>
  CustodyClient.of({
    call: <A, E>(target: Operation.Operation<A, E>, input: unknown) => {
      const { operation } = target
      const given = input ?? {}
      return Page.Cursor.use((cursor): Effect.Effect<unknown, Failure> => {
        const { prepare, wire } = Operation.codec(target)
        const prepared = prepare(given)
        if (Result.isFailure(prepared)) return Effect.fail(prepared.failure)
        const request = wire.request({ ...prepared.success, cursor })
        if (Result.isFailure(request)) return Effect.fail(new InputInvalid({ operation, issues: request.failure }))
        const handler = stubs.get(target)
        if (handler !== undefined) return callStub(handler, target, given)
        const message = unstubbed(
          operation,
          given,
          [...stubs.keys()].map((one) => one.operation)
        )
        return Effect.die(new UnstubbedCall({ operation, message }))
      }).pipe(
        // The types of the stubs guarantee it.
        Effect.map((payload) => payload as A),
        Effect.mapError((error) => error as unknown as E),
        Effect.withSpan(`custody.${operation}`)
      )
    },
    ...knowledge
  })
