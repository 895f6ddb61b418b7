/**
 * One call, from its input to its end, in the order in which it happens:
 *
 * 1. `begin` checks and encodes the input, and selects the wire and the policy;
 * 2. `takeToken` waits for an access token, if the operation needs one;
 * 3. `exchange` sends one request, and classifies its answer;
 * 4. `decide` says what follows a failed exchange: the two tables are the whole rule;
 * 5. `send` is the loop over 2, 3 and 4, until the call ends;
 * 6. `UnknownWrites.follow` remembers and reports a change that may have taken effect.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Option from "effect/Option"
import * as Pull from "effect/Pull"
import * as Result from "effect/Result"
import * as Schedule from "effect/Schedule"
import type { About, Safety } from "../endpoint/Declaration.ts"
import * as Operation from "../endpoint/Operation.ts"
import { findSpent, select, Wires } from "../endpoint/Wires.ts"
import * as ErrorFacts from "../errors/errorFacts.ts"
import * as OperatorLog from "../errors/OperatorLog.ts"
import { InputInvalid, UnconfirmedEndpoint } from "../errors/SdkError.ts"
import type { SessionError } from "../errors/SessionError.ts"
import * as Classification from "../http/Classification.ts"
import * as Environment from "../http/Environment.ts"
import * as Sender from "../http/Sender.ts"
import { Recorder, recordExchange, runAfter } from "../http/Transport.ts"
import type { ExchangeResult, InTurn, Transport, WireRecord } from "../http/Transport.ts"
import * as Page from "../lists/Page.ts"
import { Deadline, type RetryBudget } from "../retry/limits.ts"
import * as RetryPolicy from "../retry/RetryPolicy.ts"
import { type DiagnosticsOf, ScopeHeaders } from "../secrets/Secrets.ts"
import type { AccessToken, TokenService } from "../session/TokenService.ts"
import * as End from "./callEnd.ts"
import { type CallError, monotonicSeconds } from "./callEnd.ts"
import * as UnknownWrites from "./unknownWrites.ts"

/** What the calls of a client share. */
export interface Parts extends UnknownWrites.Parts {
  readonly transport: Transport["Service"]
  readonly tokens: TokenService["Service"]
  /** Applies the rate limit, if there is one. */
  readonly inTurn: InTurn | undefined
  readonly contract: Wires
  /** The policy of calls that have no policy of their own. */
  readonly policy: RetryPolicy.RetryPolicy
  readonly budget: RetryBudget
  /** Selects the parts of an answer that an error may contain. */
  readonly diagnostics: DiagnosticsOf
  /** Counts the calls that wait for a token now. */
  readonly waiting: { count: number }
  /** Observes each exchange. */
  readonly follow: (exchange: Exchange) => Exchange
}

/** One call, from its first exchange to its last. */
export interface Call<A> extends End.Begun {
  readonly operation: Operation.Operation<A, unknown>
  /** How to recognise the requested record; `undefined` for a look-up, which compares the record itself. */
  readonly about: About | undefined
  readonly request: HttpClientRequest.HttpClientRequest
  /** The look-up of the records that the call creates; `undefined` if the caller did not name them. */
  readonly existing: Operation.Existing<A> | undefined
  readonly policy: RetryPolicy.RetryPolicy
  /** The end of the deadline, in seconds of the monotonic clock. */
  readonly endsAt: number
  /** Says that the wire is assumed, if the service is real and nobody has confirmed the wire. */
  readonly unconfirmed: UnconfirmedEndpoint | undefined
  /** Receives the exchanges, if somebody watches. */
  readonly recorder: ((record: WireRecord) => void) | undefined
  rotations: number
  /** The number of times that this call loaded the session again. */
  reloads: number
}

const timeLeft = (fiber: Fiber.Fiber<unknown, unknown>, { endsAt }: Call<unknown>): Duration.Duration =>
  Duration.seconds(Math.max(0, endsAt - monotonicSeconds(fiber.getRef(Clock.Clock))))

/** Ends a call whose deadline has passed. The error says what was sent. */
const endLate = (call: Call<unknown>): Effect.Effect<never, CallError> =>
  Effect.suspend(() => Effect.fail(End.deadlinePassed(call)))

// 1. Begin.

/**
 * Selects the wire of an operation. Fails if the service is real, and no contract confirms the assumed wire. A read of a
 * sandbox is sent all the same, because a GET changes nothing there.
 */
const confirm = (
  operation: Operation.Any,
  environment: Environment.Environment,
  ofClient: Wires,
  ofCall: Wires
): Result.Result<Pick<Call<unknown>, "wire" | "unconfirmed">, UnconfirmedEndpoint> => {
  const { operation: name, provenance, safety } = operation
  const [contract, isConfirmed] = select(operation, ofClient, ofCall)
  const wire = contract.wire(operation) ?? Operation.codec(operation).wire
  if (isConfirmed || provenance === "specified" || !Environment.isReal(environment)) {
    return Result.succeed({ wire, unconfirmed: undefined })
  }
  const { method, path } = wire.route
  const unconfirmed = new UnconfirmedEndpoint({ operation: name, assumed: `${method} ${path}` })
  const isHarmless = environment.kind === "sandbox" && safety === "read" && method === "GET"
  return isHarmless ? Result.succeed({ wire, unconfirmed }) : Result.fail(unconfirmed)
}

/** The operations whose assumption this process has logged. */
const warned = new Set<string>()

/** Logs, once per operation and process, that a read is sent over a wire that nobody has confirmed. */
const warnOnce = ({ assumed, operation }: UnconfirmedEndpoint): Effect.Effect<void> =>
  Effect.suspend(() => {
    if (warned.has(operation)) return Effect.void
    warned.add(operation)
    return OperatorLog.report("call.unconfirmed", `${operation} is sent as "${assumed}"`)
  })

/** Checks the input of a call, and makes its request. `about` and `ownPolicy` are those of a look-up. */
const makeBegin = ({ contract, policy: standard, transport, unknownWrites }: Parts) => {
  const { environment } = transport
  const { baseUrl } = environment
  return <A>(
    fiber: Fiber.Fiber<unknown, unknown>,
    operation: Operation.Operation<A, unknown>,
    input: unknown,
    about: About | undefined,
    ownPolicy?: RetryPolicy.RetryPolicy
  ): Result.Result<Call<A>, CallError> => {
    const prepared = Operation.codec(operation).prepare(input)
    if (Result.isFailure(prepared)) return Result.fail(prepared.failure)
    const { encoded, existing, given } = prepared.success
    const confirmed = confirm(operation, environment, contract, fiber.getRef(Wires))
    if (Result.isFailure(confirmed)) return Result.fail(confirmed.failure)
    const { unconfirmed, wire } = confirmed.success
    const cursor = fiber.getRef(Page.Cursor)
    const request = wire.request({ encoded, given, cursor })
    if (Result.isFailure(request)) {
      return Result.fail(new InputInvalid({ operation: operation.operation, issues: request.failure }))
    }
    const clock = fiber.getRef(Clock.Clock)
    const now = monotonicSeconds(clock)
    if (operation.safety === "write") {
      const unknown = unknownWrites.find(operation.operation, encoded, now)
      if (unknown !== undefined) return Result.fail(unknown)
    }
    const policy = ownPolicy ?? Context.getOrUndefined(fiber.context, RetryPolicy.RetryPolicy) ?? standard
    const deadline = Duration.min(policy[operation.safety].deadline, fiber.getRef(Deadline))
    return Result.succeed({
      operation,
      about,
      encoded,
      wire,
      unconfirmed,
      cursor,
      baseUrl,
      request: request.success,
      existing,
      policy,
      deadline,
      endsAt: now + Duration.toSeconds(deadline),
      activity: "the call had not begun",
      progress: undefined,
      sentAt: clock.currentTimeMillisUnsafe(),
      doubt: undefined,
      evidence: undefined,
      recorder: fiber.getRef(Recorder),
      rotations: 0,
      reloads: 0
    })
  }
}

// 2. Take a token.

/** The minimum wait during a pause, so that a change of the clock does not cause a busy loop. */
const minWaitMillis = 10

/** How long a call waits until the session may have a token; `undefined` if the call may not wait for it. */
const pauseLength = Effect.fnUntraced(function* ({ endsAt, operation, policy }: Call<unknown>, error: SessionError) {
  const until = ErrorFacts.ofKnown(error).pausedUntil
  if (until === undefined) return undefined
  const clock = yield* Clock.Clock
  const now = clock.currentTimeMillisUnsafe()
  const wait = Duration.millis(Math.max(until.epochMilliseconds - now, minWaitMillis))
  const { maxRetryAfter, schedule } = policy[operation.safety]
  const isLate = monotonicSeconds(clock) + Duration.toSeconds(wait) >= endsAt
  if (isLate || Duration.isGreaterThan(wait, maxRetryAfter)) return undefined
  // Do not wait if the policy's schedule allows no second attempt. Each wait starts the schedule afresh, so only the
  // deadline limits the number of waits.
  const step = yield* Schedule.toStep(schedule)
  return yield* step(now, { error, retryAfter: wait }).pipe(
    Effect.as<Duration.Duration | undefined>(wait),
    Pull.catchDone(() => Effect.undefined)
  )
})

const makeTakeToken = ({ tokens, waiting }: Parts) => {
  /** Asks the session, and asks again after each pause, until the deadline of the call. Sends nothing meanwhile. */
  const waitFor = (
    call: Call<unknown>,
    activity: string,
    ask: Effect.Effect<AccessToken, SessionError>
  ): Effect.Effect<AccessToken, CallError> => {
    const patient: Effect.Effect<AccessToken, CallError> = Effect.catch(ask, (error) =>
      Effect.flatMap(pauseLength(call, error), (wait) =>
        wait === undefined ? Effect.fail(End.beforeRequest(call, error)) : Effect.andThen(Effect.sleep(wait), patient)
      )
    )
    return Effect.withFiber((fiber) => {
      End.does(call, activity)
      // `Effect.timeout` would need a second fiber for each of the calls, of which there may be thousands.
      return Effect.callback((resume) => {
        const asking = Effect.runForkWith(fiber.context)(patient)
        let isOver = false
        const end = (result: Effect.Effect<AccessToken, CallError>): void => {
          if (isOver) return
          isOver = true
          waiting.count--
          cancel()
          resume(result)
          asking.interruptUnsafe()
        }
        waiting.count++
        const cancel = runAfter(fiber, timeLeft(fiber, call), () => Effect.sync(() => end(endLate(call))))
        asking.addObserver(end)
        return Effect.sync(() => end(Effect.never))
      })
    })
  }

  return {
    /** The token in use, or the session's next one. */
    takeToken: (call: Call<unknown>): Effect.Effect<AccessToken | undefined, CallError> => {
      if (call.operation.safety === "session") return Effect.undefined
      const inUse = tokens.inUse?.()
      if (inUse !== undefined) return Effect.succeed(inUse)
      return waitFor(call, "the call waited for an access token", tokens.current)
    },

    /** A newer token than one that has expired. All calls share one rotation of the session. */
    rotate: (call: Call<unknown>, { generation, value }: AccessToken): Effect.Effect<AccessToken, CallError> => {
      call.rotations++
      return waitFor(call, "the session was being rotated, which continues", tokens.rotate(generation, value))
    },

    /** The token in the store after a 401, if it is newer, or so new that the service may accept it soon. */
    reload: (call: Call<unknown>, { generation, value }: AccessToken) => {
      call.reloads++
      const loaded = waitFor(call, "the session was loaded from its store", tokens.reload(generation, value))
      return Effect.map(loaded, (newest) =>
        newest.generation !== generation || newest.isRecent === true ? newest : undefined
      )
    }
  }
}

// 3. Exchange: send one request, and classify its answer.

/**
 * Sends a request of a call, with its token if it has one. The result is `undefined` if the deadline of the call has
 * passed. Fails only if an upload cannot be sent again.
 */
export type Exchange = <A>(
  call: Call<A>,
  token: AccessToken | undefined,
  request: HttpClientRequest.HttpClientRequest
) => Effect.Effect<Classification.Classification<A> | undefined, CallError>

/** The error of an upload that cannot be sent again. */
const spentUpload = (call: Call<unknown>): CallError | undefined => {
  const { encoded, operation } = call
  const upload = encoded.body._tag === "Multipart" ? findSpent(encoded.body.fields) : undefined
  if (upload === undefined) return undefined
  const reason = `${upload} can be read only once, and an attempt that the service rejected has read it`
  return End.beforeRequest(call, End.noAnswer(operation, "NotSent", reason))
}

/** Decodes the payload of an answer, once, and classifies the exchange. Notes a failure. */
const classify = <A>(call: Call<A>, answer: ExchangeResult): Classification.Classification<A> => {
  const kind = call.operation.safety === "session" ? "auth" : "call"
  const received = Classification.received(kind, answer)
  const payload = received === undefined ? undefined : Operation.readAnswer(call, received)
  const outcome = Classification.classify(kind, answer, payload, call.wire)
  if (outcome._tag !== "Succeeded") End.failed(call, outcome)
  return outcome
}

const tooLate: ExchangeResult = { _tag: "NotAnswered", phase: "NotSent", reason: "too late", isLate: true }

const makeExchange = ({ diagnostics, follow, inTurn, tokens, transport }: Parts): Exchange => {
  const sendNow = (
    call: Call<unknown>,
    token: AccessToken | undefined,
    request: HttpClientRequest.HttpClientRequest
  ): Effect.Effect<ExchangeResult> =>
    Effect.withFiber((fiber) => {
      const { encoded, operation, recorder } = call
      const deadline = timeLeft(fiber, call)
      // If no time is left, do not hand the request to the transport, so that certainly nothing is sent.
      if (Duration.isZero(deadline)) return Effect.succeed(tooLate)
      // A request without an access token, and its answer, hold secrets that no one knows yet.
      const record =
        token === undefined || recorder === undefined ? undefined : recordExchange(fiber, operation.operation, recorder)
      const mayStart = fiber.getRef(Sender.MayStart)
      const progress = Sender.makeProgress(mayStart, record?.onRequest)
      End.sends(call, fiber.getRef(Clock.Clock).currentTimeMillisUnsafe(), progress)
      const headers = fiber.getRef(ScopeHeaders)
      const own = headers === undefined ? request : HttpClientRequest.setHeaders(request, headers)
      const sent = transport.send(own, token?.value, { progress, deadline })
      return record === undefined ? sent : record.follow(sent, progress, diagnostics(encoded, token))
    })

  const sendInTurn = (inTurn: InTurn, call: Call<unknown>, sent: Effect.Effect<ExchangeResult>) =>
    Effect.withFiber((fiber) => {
      End.does(call, "the call waited for its turn under requestsPerSecond")
      return inTurn(sent, timeLeft(fiber, call), tooLate)
    })

  return follow((call, token, request) => {
    const error = spentUpload(call)
    if (error !== undefined) return Effect.fail(error)
    const sent = sendNow(call, token, request)
    return Effect.map(inTurn === undefined ? sent : sendInTurn(inTurn, call, sent), (answer) => {
      if (answer._tag === "NotAnswered" && answer.isLate === true) return undefined
      const outcome = classify(call, answer)
      if (token !== undefined && Classification.acceptsToken(outcome)) tokens.accepted?.(token)
      return outcome
    })
  })
}

// 4. Decide what follows a failed exchange. Pure.

type Next =
  /** Rotate the session, and replay the call at once. */
  | "Rotate"
  /** Load the session from the store, and replay the call at once if the stored session is newer. */
  | "Reload"
  /** Send the call again, as often as the policy allows. */
  | "Resend"
  /** Look up the records that the call may have created. Send the call again only if they certainly do not exist. */
  | "LookUp"
  /** Look them up after a refusal, too: the service may refuse the second creation because the first one succeeded. */
  | "LookUpRefused"
  /** Fail: with `OutcomeUnknown` if the call may have taken effect. */
  | "End"

const afterCertainty: Readonly<Record<Exclude<Classification.Failed["_tag"], Classification.InDoubt["_tag"]>, Next>> = {
  NotSent: "Resend",
  Expired: "Rotate",
  Unauthorized: "Reload",
  Throttled: "Resend",
  Rejected: "End"
}

const afterDoubt: Readonly<Record<Classification.InDoubt["_tag"], Readonly<Record<Safety, Next>>>> = {
  InDoubt: { read: "Resend", keyed: "LookUp", write: "End", session: "End" },
  // Another attempt would mostly get the same page. It may also stand for a refusal, so the look-up is as after one.
  Foreign: { read: "End", keyed: "LookUpRefused", write: "End", session: "End" }
}

/** The maximum number of session rotations for one call, over all its attempts. */
const maxRotations = 2

/**
 * The maximum number of times that one call loads the session again. One load may not be enough, because a part of the
 * service may not accept a new token yet.
 */
const maxReloads = 3

const decide = (call: Call<unknown>, hasToken: boolean, { _tag: outcome }: Classification.Failed): Next => {
  const isCertain = outcome !== "InDoubt" && outcome !== "Foreign"
  const next = isCertain ? afterCertainty[outcome] : afterDoubt[outcome][call.operation.safety]
  if (next === "Rotate") return hasToken && call.rotations < maxRotations ? next : "End"
  if (next === "Reload") return hasToken && call.reloads < maxReloads ? next : "End"
  return outcome === "Rejected" && End.isInDoubt(call) ? "LookUpRefused" : next
}

// 5. Send, until the call ends.

/** Makes the wait before the next attempt. It fails with the last error if the call may not be sent again. */
const makeResend = (call: Call<unknown>, takeExtra: Effect.Effect<boolean>) => {
  let step:
    | ((now: number, input: RetryPolicy.Failure) => Pull.Pull<[unknown, Duration.Duration], never, unknown>)
    | undefined
  return Effect.fnUntraced(function* (failure: RetryPolicy.Failure & { readonly error: CallError }) {
    const { error, retryAfter = Duration.zero } = failure
    const { maxRetryAfter, schedule } = call.policy[call.operation.safety]
    End.does(call, "the call waited to be sent again")
    if (Duration.isGreaterThan(retryAfter, maxRetryAfter)) return yield* error
    step ??= yield* Schedule.toStep(schedule)
    const clock = yield* Clock.Clock
    const delay = yield* step(clock.currentTimeMillisUnsafe(), failure).pipe(
      Effect.map(([, delay]): Duration.Duration | undefined => delay),
      Pull.catchDone(() => Effect.undefined)
    )
    if (delay === undefined) return yield* error
    const wait = Duration.max(delay, retryAfter)
    // Do not begin a wait that the deadline would end, because the present error says more.
    const isLate = monotonicSeconds(clock) + Duration.toSeconds(wait) >= call.endsAt
    if (isLate || !(yield* takeExtra)) return yield* error
    return yield* Effect.sleep(wait)
  })
}

/** Asks caches for a fresh answer, because a cached answer may be older than the record. */
const uncached = <A, E>(read: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.updateService(read, ScopeHeaders, (own) => ({ "cache-control": "no-cache", ...own }))

const concurrency = 4

/** Calls the operation of a look-up. */
type ReadRecord = (
  operation: Operation.Any,
  input: unknown,
  policy: RetryPolicy.RetryPolicy
) => Effect.Effect<unknown, CallError>

/** Why a look-up proved nothing; `undefined` if none was made. */
type Unknown = string | undefined

/**
 * Looks up what a call may have created, by the names that the caller gave: the payload of the call, or `None` if the
 * records certainly do not exist. The whole look-up takes one extra request from the retry budget. The first record is
 * read before the others. With `isExact`, a record whose name is spelled differently proves nothing.
 */
const lookUp = Effect.fnUntraced(function* <A>(
  call: Call<A>,
  isExact: boolean,
  readRecord: ReadRecord,
  takeExtra: Effect.Effect<boolean>
): Effect.fn.Return<Option.Option<A>, Unknown> {
  const { existing, policy } = call
  if (existing === undefined) return yield* Effect.fail(undefined)
  const [first, ...rest] = existing.reads
  End.does(call, "the call was looked up")
  if (first === undefined || !(yield* takeExtra)) return yield* Effect.fail(undefined)
  const find = ({ input, matches }: Operation.ExistingRead): Effect.Effect<Option.Option<unknown>, Unknown> =>
    Effect.matchEffect(uncached(readRecord(existing.operation, input, policy)), {
      onSuccess: (payload) =>
        matches(payload, isExact) ? Effect.succeedSome(payload) : Effect.fail("its look-up shows another record"),
      onFailure: (error) =>
        // A gateway or a cache may answer 404 too.
        error._tag === "NotFound" && error.isCertain
          ? Effect.succeedNone
          : Effect.fail(`its look-up failed: ${error.message}`)
    })
  const one = yield* find(first)
  const likeFirst = (next: Operation.ExistingRead) =>
    Effect.filterOrFail(
      find(next),
      ({ _tag }) => _tag === one._tag,
      (): Unknown => "its look-up shows only some of the records"
    )
  const found = [one, ...(yield* Effect.forEach(rest, likeFirst, { concurrency }))]
  return Option.map(Option.all(found), existing.payload)
})

/** Makes the function that calls operations. */
export const make = (parts: Parts) => {
  const { budget, diagnostics } = parts
  const begin = makeBegin(parts)
  const exchange = makeExchange(parts)
  const { reload, rotate, takeToken } = makeTakeToken(parts)

  /** Takes an extra request from the retry budget. */
  const takeExtra = ({ policy }: Call<unknown>): Effect.Effect<boolean> =>
    Effect.clockWith((clock) => Effect.sync(() => budget.take(monotonicSeconds(clock), policy.budget)))

  /** Looks up what a call may have created, until the deadline of the call. */
  const lookUpInTime = <A>(
    call: Call<A>,
    isExact: boolean
  ): Effect.Effect<Result.Result<Option.Option<A>, Unknown>, CallError> =>
    Effect.withFiber((fiber) =>
      Effect.timeoutOrElse(Effect.result(lookUp(call, isExact, readRecord, takeExtra(call))), {
        duration: timeLeft(fiber, call),
        orElse: () => endLate(call)
      })
    )

  const send = Effect.fnUntraced(function* <A>(call: Call<A>): Effect.fn.Return<A, CallError> {
    let waitToResend: ReturnType<typeof makeResend> | undefined
    let token = yield* takeToken(call)
    for (;;) {
      const outcome = yield* exchange(call, token, call.request)
      if (outcome === undefined) return yield* endLate(call)
      if (outcome._tag === "Succeeded") return outcome.value
      let next = decide(call, token !== undefined, outcome)
      if (next === "Rotate" || next === "Reload") {
        const newest = yield* (next === "Rotate" ? rotate : reload)(call, token!)
        if (newest !== undefined) {
          token = newest
          continue
        }
        next = "End"
      }
      const { reason, retryAfter } = outcome
      const limits = yield* diagnostics(call.encoded, token)
      const isInDoubt = End.isInDoubt(call)
      if (isInDoubt) call.evidence ??= End.evidence(call, outcome, limits)
      let lookUpReason: string | undefined
      if (next === "LookUp" || next === "LookUpRefused") {
        // After a refusal, another record may have a variant of the name, so the spelling must be the same.
        const found = yield* lookUpInTime(call, next === "LookUpRefused")
        if (Result.isSuccess(found) && Option.isSome(found.success)) return found.success.value
        lookUpReason = Result.isFailure(found) ? found.failure : undefined
        next = next === "LookUp" && Result.isSuccess(found) ? "Resend" : "End"
      }
      const error = isInDoubt ? End.outcomeUnknown(call, reason, lookUpReason) : End.ofExchange(call, outcome, limits)
      if (next === "End") return yield* error
      waitToResend ??= makeResend(call, takeExtra(call))
      yield* waitToResend({ error, retryAfter })
      token = yield* takeToken(call)
    }
  })

  /** Calls an operation. `about` and `ownPolicy` are those of a look-up. */
  const run = <A>(
    operation: Operation.Operation<A, unknown>,
    input: unknown,
    about: About | undefined,
    ownPolicy?: RetryPolicy.RetryPolicy
  ): Effect.Effect<A, CallError> =>
    Effect.withFiber((fiber) => {
      const begun = begin(fiber, operation, input, about, ownPolicy)
      if (Result.isFailure(begun)) return Effect.fail(begun.failure)
      const call = begun.success
      const sent = call.unconfirmed === undefined ? send(call) : Effect.andThen(warnOnce(call.unconfirmed), send(call))
      return operation.safety === "read" ? sent : UnknownWrites.follow(call, sent, parts)
    })

  const readRecord: ReadRecord = (operation, input, policy) => run(operation, input, undefined, policy)

  return <A>(operation: Operation.Operation<A, unknown>, input: unknown): Effect.Effect<A, CallError> =>
    Effect.withFiber((fiber) => {
      budget.called(monotonicSeconds(fiber.getRef(Clock.Clock)))
      return run(operation, input, operation.about)
    })
}
