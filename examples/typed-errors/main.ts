/**
 * Typed errors: the error type of a call is a union, with the service's E-codes in it. A handler takes its error out of the
 * union, so that the compiler says which errors are left. `satisfies` holds each step to its type.
 */
import { catchCode, catchRefused, catchSession, Clients, type Endpoint, Outcome } from "@effect-custody/sdk"
import { NodeCustody } from "@effect-custody/node"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { Console, Effect } from "effect"

/** All that can go wrong with a call, as a type. */
type Failure = Endpoint.Failure<typeof Clients.get>

/** By code: the service's own words for what is wrong. A code that is handled leaves the error type. */
const byCode = Clients.get({ externalId: "nobody" }).pipe(
  Effect.map(({ externalId }) => `${externalId} is a client.`),
  catchCode("E40000", ({ summary }) => Effect.succeed(`The request is malformed: ${summary}`)),
  catchCode(["E01401", "E40001"], () => Effect.succeed("The access token was not accepted."))
)

/** By class: the same, for every code of a class, and for what has no code. */
const byTag = byCode.pipe(
  Effect.catchTag("NotFound", ({ code }) => Effect.succeed(`Nobody is not a client (${code}).`))
)

/** By what it means for a caller: refused by the service, no session, or no answer. Then no error is left. */
const answer = byTag.pipe(
  catchRefused((error) => Effect.succeed(`The service refuses: our own caller gets a ${Outcome.httpStatus(error)}.`)),
  catchSession(({ message }) => Effect.succeed(`There is no session: ${message}`)),
  Effect.catch(({ message }) => Effect.succeed(`No answer, or nothing was sent: ${message}`))
) satisfies Effect.Effect<string, never, unknown>

/** A write that fails has either certainly not happened, or nobody knows: then it is looked up, and not sent again. */
const create = Clients.create({ externalId: "bob" }).pipe(
  Effect.map(({ externalId }) => `${externalId} is a new client.`),
  Effect.catchTags({
    OutcomeUnknown: ({ reason }) => Effect.succeed(`Nobody knows whether bob was created: ${reason}`),
    NotSent: ({ reason }) => Effect.succeed(`bob was certainly not created: ${reason}`)
  })
)

const tags: ReadonlyArray<Failure["_tag"]> = [
  "NotFound",
  "BadRequest",
  "InvalidAccessToken",
  "TokenExpired",
  "SessionLost"
]

const program = Effect.gen(function* () {
  yield* Console.log(`Clients.get may fail with ${tags.join(", ")} and others, each a type.`)
  yield* Console.log(yield* answer)
  yield* Console.log(yield* create)
})

program.pipe(Effect.provide(NodeCustody.layerConfig()), NodeRuntime.runMain)
