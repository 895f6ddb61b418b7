/** A client over a transport that answers from a script, with a scripted session. */
import { CustodyClient, Environment, type RetryPolicy, SessionLost, TokenService } from "@effect-custody/core"
import * as Sender from "@effect-custody/core/siblings/Sender"
import { type ExchangeResult, Transport } from "@effect-custody/core/siblings/Transport"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"

/** An answer in JSON. */
export const answered = (status: number, body: unknown = {}, retryAfter?: Duration.Input): ExchangeResult => ({
  _tag: "Answered",
  status,
  text: typeof body === "string" ? body : JSON.stringify(body),
  retryAfter: retryAfter === undefined ? undefined : Duration.fromInputUnsafe(retryAfter)
})

/** The answer of a success. */
export const succeeded = (data: unknown, status = 201): ExchangeResult =>
  answered(status, { message: "Done", data, status })

/** A refusal of the service itself. */
export const refused = (status: number, code?: string): ExchangeResult =>
  answered(status, { status, message: "No", errors: {}, ...(code === undefined ? {} : { code }) })

export const notSent: ExchangeResult = { _tag: "NotAnswered", phase: "NotSent", reason: "ECONNREFUSED" }
export const reset: ExchangeResult = { _tag: "NotAnswered", phase: "MaybeProcessed", reason: "ECONNRESET" }

const late: ExchangeResult = { _tag: "NotAnswered", phase: "MaybeProcessed", reason: "late", isLate: true }

/** A request with a delayed outcome. */
export const slowly = (duration: Duration.Input, outcome: ExchangeResult): Effect.Effect<ExchangeResult> =>
  Effect.delay(Effect.succeed(outcome), duration)

/** A request that waits for a connection forever. */
export const waiting: Effect.Effect<ExchangeResult> = Effect.flatMap(Sender.SendProgress, (progress) => {
  if (progress !== undefined) Sender.waiting(progress)
  return Effect.never
})

/** The script: its answers, the sent requests, and the rotations of the session. */
export interface Script {
  /** The next answers. The last answer repeats. */
  readonly answers: Array<ExchangeResult | Effect.Effect<ExchangeResult>>
  /** `METHOD path`, one for each request. */
  readonly sent: Array<string>
  /** The query of each request. */
  readonly queries: Array<Readonly<Record<string, unknown>>>
  /** `true` if a rotation finds a lost session. */
  isLost: boolean
  /** The duration of a rotation. */
  rotation: Duration.Input
  rotations: number
}

export class Scripted extends Context.Service<Scripted, Script>()("test/Scripted") {}

/** Sets the next answers. */
export const script = (...answers: ReadonlyArray<ExchangeResult | Effect.Effect<ExchangeResult>>) =>
  Scripted.useSync((scripted) => {
    scripted.answers.splice(0, scripted.answers.length, ...answers)
  })

/** The sent requests. */
export const sent = Scripted.useSync(({ sent }) => sent)

const transport = Layer.effect(
  Transport,
  Scripted.useSync((scripted) =>
    Transport.of({
      environment: Environment.emulator("http://localhost/api/integration"),
      send: (request, _token, { deadline = Duration.infinity, progress }) =>
        Effect.suspend(() => {
          scripted.sent.push(`${request.method} ${request.url}`)
          scripted.queries.push(Object.fromEntries(request.urlParams.params))
          const [next] = scripted.answers.length > 1 ? scripted.answers.splice(0, 1) : scripted.answers
          if (next === undefined) return Effect.die("nothing was scripted")
          return "_tag" in next && (next._tag === "Answered" || next._tag === "NotAnswered")
            ? Effect.succeed(next as ExchangeResult)
            : (next as Effect.Effect<ExchangeResult>)
        }).pipe(
          Effect.provideService(Sender.SendProgress, progress),
          Effect.timeoutOrElse({ duration: deadline, orElse: () => Effect.succeed(late) })
        )
    })
  )
)

const lost = Effect.fail(new SessionLost({ identity: "test", generation: 0 }))

type Token = TokenService["Service"]["current"]

/** A session that always serves a token, or `rotated` after a rotation. */
export const makeSession = ({ rotated, token }: { readonly token: Token; readonly rotated?: Token }) =>
  Layer.succeed(TokenService, {
    current: token,
    rotate: () => rotated ?? token,
    reload: () => token,
    start: () => token,
    awaitStored: Effect.void,
    secrets: Effect.succeed([]),
    status: Effect.succeed({
      identity: "test",
      state: "serving" as const,
      generation: Option.none(),
      expiresAt: Option.none(),
      vaultId: Option.none(),
      hasUnusedKey: false
    }),
    subscribe: () => Effect.void
  })

const tokens = Layer.unwrap(
  Scripted.useSync((scripted) => {
    const token = Effect.sync(() => ({
      value: Redacted.make(`token-${scripted.rotations}`),
      generation: scripted.rotations
    }))
    const rotated = Effect.suspend(() => Effect.sleep(scripted.rotation)).pipe(
      Effect.andThen(Effect.suspend(() => (scripted.isLost ? lost : Effect.sync(() => scripted.rotations++)))),
      Effect.andThen(token)
    )
    return makeSession({ token, rotated })
  })
)

/** A client with its own script. */
export const layer = (options?: { readonly retry?: RetryPolicy.RetryPolicy }) =>
  Layer.fresh(
    CustodyClient.layer(options).pipe(
      Layer.provide([transport, tokens]),
      Layer.provideMerge(
        Layer.sync(Scripted, () => ({
          answers: [],
          sent: [],
          queries: [],
          isLost: false,
          rotation: Duration.zero,
          rotations: 0
        }))
      )
    )
  )
