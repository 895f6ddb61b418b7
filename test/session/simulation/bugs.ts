/** Bugs that the simulation of sessions must find. The explorer finds some of them in the functions that both run. */
import type { Answered, ExchangeResult, Transport } from "@effect-custody/core/siblings/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Bugs, moduleAt } from "../../support/simulation/plant.ts"

const classification = moduleAt<typeof import("../../../packages/core/src/http/Classification.ts")>(
  "packages/core/src/http/Classification.ts"
)
const contentEncoding = moduleAt<typeof import("../../../packages/node/src/internal/contentEncoding.ts")>(
  "packages/node/src/internal/contentEncoding.ts"
)
const decide = moduleAt<typeof import("../../../packages/authentication/src/decide.ts")>(
  "packages/authentication/src/decide.ts"
)
const freshness = moduleAt<typeof import("../../../packages/authentication/src/freshness.ts")>(
  "packages/authentication/src/freshness.ts"
)
const exactJson = moduleAt<typeof import("../../../packages/core/src/json/ExactJson.ts")>(
  "packages/core/src/json/ExactJson.ts"
)
const pause = moduleAt<typeof import("../../../packages/authentication/src/pause.ts")>(
  "packages/authentication/src/pause.ts"
)
const records = moduleAt<typeof import("../../../packages/authentication/src/record.ts")>(
  "packages/authentication/src/record.ts"
)
const rotation = moduleAt<typeof import("../../../packages/authentication/src/rotation.ts")>(
  "packages/authentication/src/rotation.ts"
)
const sessionState = moduleAt<typeof import("../../../packages/authentication/src/sessionState.ts")>(
  "packages/authentication/src/sessionState.ts"
)
const transport = moduleAt<typeof import("../../../packages/core/src/http/Transport.ts")>(
  "packages/core/src/http/Transport.ts"
)
const tokenEndpoint = moduleAt<typeof import("../../../packages/authentication/src/tokenEndpoint.ts")>(
  "packages/authentication/src/tokenEndpoint.ts"
)
const tokenService = moduleAt<typeof import("../../../packages/authentication/src/TokenService.ts")>(
  "packages/authentication/src/TokenService.ts"
)

/** The answer with another status. A spread does not copy the text. */
const withStatus = (answer: Answered, status: number): Answered => ({ ...answer, text: answer.text, status })

type LimitPassed = typeof import("../../../packages/core/src/http/Transport.ts").limitPassed

/** Ends each request without an access token after a time, as if no answer had come. */
const givesUp = (passed: (timeout: Duration.Input, limitPassed: LimitPassed) => Effect.Effect<void>) => {
  let limitPassed: LimitPassed = () => Effect.never
  return transport({
    limitPassed: (real) => (limitPassed = real),
    Transport: (real) =>
      class extends real {
        static override readonly layer: typeof real.layer = (options) => {
          const late = Effect.suspend(() => passed(options.limits?.attemptTimeout ?? "30 seconds", limitPassed))
          const send =
            (own: Transport["Service"]): Transport["Service"]["send"] =>
            (request, token, rest) =>
              token !== undefined
                ? own.send(request, token, rest)
                : Effect.raceFirst(
                    own.send(request, token, rest),
                    Effect.map(late, (): ExchangeResult => {
                      const isNotSent = rest.progress.stage === "Waiting" || rest.progress.stage === "Refused"
                      return {
                        _tag: "NotAnswered",
                        phase: isNotSent ? "NotSent" : "MaybeProcessed",
                        reason: "too slow"
                      }
                    })
                  )
          return Layer.effect(
            real,
            Effect.map(real, (own) => ({ ...own, send: send(own) }))
          ).pipe(Layer.provide(real.layer(options)))
        }
      }
  })
}

const neverSettles = [
  tokenService({
    TokenService: (real) =>
      class extends real {
        static override readonly layer: typeof real.layer = (options) =>
          Layer.effect(
            real,
            Effect.map(real, (service) => ({ ...service, awaitStored: Effect.void }))
          ).pipe(Layer.provide(real.layer(options)))
      }
  })
]

export const sessionBugs = {
  /** A process that its runtime freezes between calls begins refreshes in the background, and is frozen in the middle. */
  "background refresh before a freeze": [
    freshness({
      keepFresh: (keepFresh) => (timing, refresh) => keepFresh({ ...timing, proactive: true }, refresh)
    }),
    ...neverSettles
  ],
  /** A process is frozen while its refresh is under way, because its caller has given up. */
  "frozen before it settled": neverSettles,
  /** A process refreshes its remembered token without reading the store first. */
  "no re-read": [
    decide({
      onLook: (onLook) => (looker, purpose, known, stored, now) => {
        const { environment, spentKeys } = stored.record
        const session = known.end === undefined ? known.session : undefined
        const record = session === undefined ? stored.record : { environment, spentKeys, session }
        return onLook(looker, purpose, known, { ...stored, record }, now)
      }
    })
  ],
  /** A process forgets that a refresh token was refused, and sends the token again after a restored backup. */
  "refused again": [sessionState({ addRefusal: () => () => () => ({}) })],
  /** A code decides a refresh, from any sender. */
  "codes over statuses": [
    classification({
      classify: (classify) => (kind, answer, payload, wire) => {
        const outcome = classify(kind, answer, payload, wire)
        if (kind === "call" || outcome._tag !== "InDoubt" || answer._tag !== "Answered") return outcome
        return classify(kind, withStatus(answer, 400), undefined, wire)
      }
    })
  ],
  /** A process uses new tokens before they are stored. */
  "publish first": [
    rotation({
      make: (make) => (options) => {
        const { state, store } = options
        const persist: typeof store.persist = (record, claimed) =>
          claimed === undefined || record.session === undefined
            ? store.persist(record, claimed)
            : Effect.andThen(
                state.use(record.session, true, { _tag: "Rotated", generation: record.session.generation }),
                store.persist(record, claimed)
              )
        return make({ ...options, store: { ...store, persist } })
      }
    })
  ],
  /** A process deletes the session after a rejected refresh token. */
  "loser deletes": [
    decide({
      onResponse: (onResponse) => (identity, record, event) => {
        const decided = onResponse(identity, record, event)
        if (decided._tag !== "End" || event.purpose._tag === "Start") return decided
        const { session: _, ...ended } = decided.record
        return { ...decided, record: ended }
      }
    })
  ],
  /** A time limit that passed during a freeze counts although the answer has arrived. */
  "answer not read after a freeze": [givesUp((timeout) => Effect.sleep(timeout))],
  /** A process drops an answer with an unrequested compression. */
  "compressed answers not read": [
    contentEncoding({ decode: () => (bytes, encoding) => ({ bytes, failure: encoding === "" ? undefined : "Cut" }) })
  ],
  /** A process drops an incomplete answer although it holds both tokens. */
  "cut answers not read": [
    classification({
      received: (received) => (kind, answer) => (answer._tag === "Answered" ? received(kind, answer) : undefined)
    })
  ],
  /** A process reads no tokens after other text. */
  "JSON and nothing else": [
    exactJson({
      parsePrefix: (parsePrefix) => (text) => (text.startsWith("{") ? parsePrefix(text) : undefined)
    })
  ],
  /** A gateway's 422 or 498 counts as the service's own. */
  "a status ends a session": [
    classification({
      classify: (classify) => (kind, answer, payload, wire) => {
        const outcome = classify(kind, answer, payload, wire)
        const asCall = classify("call", answer, payload, wire)
        return "meaning" in outcome && "meaning" in asCall ? { ...outcome, meaning: asCall.meaning } : outcome
      }
    })
  ],
  /** A validation error of another field counts as an error of the token. */
  "any field is the token's": [
    classification({
      classify: (classify) => (kind, answer, payload, wire) => {
        const outcome = classify(kind, answer, payload, wire)
        return "body" in outcome ? { ...outcome, body: {} } : outcome
      }
    })
  ],
  /** The example tokens in an error count as new tokens. */
  "examples are tokens": [
    classification({
      received: (received) => (kind, answer) =>
        received(kind, answer._tag === "Answered" && answer.status >= 400 ? withStatus(answer, 200) : answer)
    })
  ],
  /** The claim for an API key already uses it up. */
  "a claim burns the key": [
    decide({
      onLook:
        (onLook) =>
        (looker, purpose, ...rest) => {
          const decision = onLook(looker, purpose, ...rest)
          if (decision._tag !== "Send" || purpose._tag === "Refresh" || purpose.key === undefined) return decision
          const spentKeys = [...decision.record.spentKeys, purpose.key.fingerprint]
          return { ...decision, record: { ...decision.record, spentKeys } }
        }
    })
  ],
  /** A process does not withdraw the claim of an unsent key. */
  "claims are not withdrawn": [records({ withoutClaims: () => (record) => record })],
  /** A lease without a renewal counts as dead although the store refused writes. */
  "taken over without a challenge": [
    records({
      judge: () => (before, stored, leaseTimeout) =>
        before.version === stored.version && before.millis >= leaseTimeout ? "Dead" : "Alive"
    })
  ],
  /** A process sends a claimed secret after its lease has expired. */
  "sent after the lease": [
    tokenEndpoint({
      make: (make) => {
        return (options) => {
          const send = make(options)
          return (purpose, secret) => send(purpose, secret, () => true)
        }
      }
    })
  ],
  /** A process repeats a refresh while the service may still work on it. */
  "gives up early": [givesUp((_, limitPassed) => limitPassed(Duration.seconds(5)))],
  /** A process whose store has lost the record forgets its session with it. */
  "a deleted record is believed": [records({ withNewest: () => (record) => record })],
  /** A process whose store has lost the record sends its API key again. */
  "a sent key is forgotten with its record": [sessionState({ withMarks: () => (record) => record })],
  /** Only the `Retry-After` of a 429 counts. */
  "Retry-After of doubt is ignored": [
    pause({
      make:
        (make) =>
        (...given) => {
          const pauses = make(...given)
          return {
            ...pauses,
            afterAttempt: (purpose, response, rest) =>
              pauses.afterAttempt(
                purpose,
                response._tag === "InDoubt" ? { ...response, retryAfter: undefined } : response,
                rest
              )
          }
        }
    })
  ],
  /** A long `Retry-After` is shortened. */
  "Retry-After is capped": [
    pause({
      make:
        (make) =>
        ({ timing, ...parts }, schedule) =>
          make({ ...parts, timing: { ...timing, maxCooldown: Duration.divideUnsafe(timing.maxCooldown, 8) } }, schedule)
    })
  ]
} satisfies Bugs
