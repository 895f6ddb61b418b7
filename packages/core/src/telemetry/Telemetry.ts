/**
 * The metrics of calls and sessions. A program records them by providing {@link layer}. Spans follow the `Tracer` of the
 * program, and do not need this module.
 *
 * @since 0.1.0
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { constVoid } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"
import { sessionStates } from "../session/TokenService.ts"
import { type ClientReading, Listener, type SessionReading } from "./Instrumentation.ts"

export { type CallOutcome, Listener } from "./Instrumentation.ts"

interface Definition {
  readonly name: string
  readonly type: "counter" | "gauge" | "histogram"
  /** In the notation of OpenTelemetry: `s`, or the counted thing in braces. */
  readonly unit: string
  readonly description: string
  /** Each label has few values: the names of operations, or a fixed list. */
  readonly labels: ReadonlyArray<string>
}

const define =
  (type: Definition["type"]) =>
  (name: string, unit: string, description: string, ...labels: ReadonlyArray<string>): Definition => {
    return { name, type, unit, description, labels }
  }

const [counter, gauge, histogram] = [define("counter"), define("gauge"), define("histogram")]

/**
 * Every metric of the SDK, by its name in Prometheus. The name is the same through an OpenTelemetry collector.
 *
 * @since 0.1.0
 * @category constants
 */
export const metrics = {
  calls: counter("custody_calls_total", "{call}", "Calls that have ended.", "operation", "outcome"),
  callDuration: histogram("custody_call_duration_seconds", "s", "How long a call took, with every wait.", "operation"),
  attempts: counter("custody_attempts_total", "{request}", "Requests to the service.", "operation", "outcome"),
  uncertainOutcomes: counter("custody_uncertain_outcomes_total", "{call}", "Calls that may have taken effect."),
  retryBudget: gauge("custody_retry_budget_left", "{request}", "Extra requests that the lowest budget allows."),
  rotationDuration: histogram(
    "custody_rotation_duration_seconds",
    "s",
    "How long a rotation or start took.",
    "outcome"
  ),
  waiters: gauge("custody_session_waiters", "{caller}", "Calls that wait for an access token now."),
  sessions: gauge("custody_sessions", "{session}", "Sessions of this process.", "state"),
  sessionAge: gauge("custody_session_age_seconds", "s", "Age of the oldest tokens in use."),
  sessionGeneration: gauge("custody_session_generation", "{rotation}", "The highest generation of a session."),
  unpersisted: gauge("custody_session_unpersisted_seconds", "s", "For how long new tokens have not been stored; or 0."),
  sessionEvents: counter("custody_session_events_total", "{event}", "What happened to sessions.", "event")
}

// Gauges over clients and sessions that come and go. A metric registry holds one series for each name and its labels, so
// each series covers the clients or sessions of all telemetry layers on the registry.

/** Registers gauges. Each computes its value from `all`, the readings of all clients (or sessions) that are shown. */
type Observe<A> = (all: () => ReadonlyArray<A>) => ReadonlyArray<Metric.Registration>

/** Shows a client (or a session) in the gauges until the scope closes. */
type Show<A> = (read: () => A, observe: Observe<A>) => Effect.Effect<void, never, Scope.Scope>

/** Makes a set of clients (or sessions), and gauges over the whole set. The gauges exist while the set is not empty. */
const makeSet = <A>(): Show<A> => {
  const readers = new Set<() => A>()
  let registered: ReadonlyArray<Metric.Registration> = []
  return (read, observe) => {
    // A new function, because two layers may show the same client, and each layer must remove only its own function.
    const reader = () => read()
    return Effect.acquireRelease(
      Effect.sync(() => {
        readers.add(reader)
        if (readers.size === 1) registered = observe(() => [...readers].map((one) => one()))
      }),
      () =>
        Effect.sync(() => {
          readers.delete(reader)
          if (readers.size === 0) for (const one of registered) one.remove()
        })
    )
  }
}

/**
 * Makes the gauges of one kind: clients, or sessions. Each kind has a separate set for each metric registry and each
 * combination of common attributes.
 */
const gaugesOfKind = <A>(): ((context: Context.Context<never>) => Show<A>) => {
  const ofRegistry = new WeakMap<Metric.MetricRegistry, Map<string, Show<A>>>()
  return (context) => {
    const registry = Context.get(context, Metric.MetricRegistry)
    const sets = ofRegistry.get(registry) ?? new Map<string, Show<A>>()
    ofRegistry.set(registry, sets)
    const attributes = Object.entries(Context.get(context, Metric.CurrentMetricAttributes))
    const key = JSON.stringify(attributes.toSorted(([a], [b]) => (a < b ? -1 : 1)))
    const set = sets.get(key) ?? makeSet<A>()
    sets.set(key, set)
    return set
  }
}

// The listener that records them.

/** The bucket boundaries of durations, in seconds. */
const boundaries = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120]

const shownSessions = gaugesOfKind<SessionReading>()
const shownClients = gaugesOfKind<ClientReading>()

/** Makes each series once. */
const makeSeries = () => {
  const known = new Map<string, Metric.Metric<number, unknown>>()
  const make = ({ description, labels, name, type, unit }: Definition, values: ReadonlyArray<string>) => {
    // Exporters read the unit from this attribute.
    const attributes = { ...Object.fromEntries(labels.map((label, at) => [label, values[at]!])), unit }
    if (type === "counter") return Metric.counter(name, { description, attributes, incremental: true })
    if (type === "histogram") return Metric.histogram(name, { description, attributes, boundaries })
    return Metric.gauge(name, { description, attributes })
  }
  return (metric: Definition, ...values: ReadonlyArray<string>): Metric.Metric<number, unknown> => {
    const key = [metric.name, ...values].join("\n")
    const made = known.get(key) ?? make(metric, values)
    known.set(key, made)
    return made
  }
}

const make = (context: Context.Context<never>, sendsTraceContext: boolean): Listener => {
  const series = makeSeries()
  const update = (value: number, metric: Definition, ...values: ReadonlyArray<string>) =>
    series(metric, ...values).updateUnsafe(value, context)
  /** Registers a gauge that computes its value when it is read. */
  const observe = (read: () => number, metric: Definition, ...values: ReadonlyArray<string>) =>
    Metric.registerUnsafe(series(metric, ...values), context, {
      get: () => ({ value: read() }),
      update: constVoid,
      modify: constVoid
    })
  const clock = Context.get(context, Clock.Clock)
  const showClient = shownClients(context)
  const showSession = shownSessions(context)
  const max = (values: ReadonlyArray<number>) => Math.max(0, ...values)
  const age = ({ obtainedAt }: SessionReading) =>
    obtainedAt === undefined ? 0 : (clock.currentTimeMillisUnsafe() - obtainedAt) / 1000

  // Start the series at zero, because monitoring would not see an increase from no value to one.
  update(0, metrics.uncertainOutcomes)

  return {
    sendsTraceContext,
    callEnded: (operation, outcome, seconds) => {
      update(1, metrics.calls, operation, outcome)
      update(seconds, metrics.callDuration, operation)
      if (outcome === "uncertain") update(1, metrics.uncertainOutcomes)
    },
    attemptEnded: (operation, outcome) => update(1, metrics.attempts, operation, outcome),
    rotationEnded: (outcome, seconds) => update(seconds, metrics.rotationDuration, outcome),
    sessionEvent: (tag, times = 1) => update(times, metrics.sessionEvents, tag),
    showClient: (read) =>
      showClient(read, (all) => [
        observe(() => Math.min(...all().map(({ budgetLeft }) => budgetLeft)), metrics.retryBudget),
        observe(() => all().reduce((sum, { waiters }) => sum + waiters, 0), metrics.waiters)
      ]),
    showSession: (read) =>
      showSession(read, (all) => [
        ...sessionStates.map((state) =>
          observe(() => all().filter((session) => session.state === state).length, metrics.sessions, state)
        ),
        observe(() => max(all().map(age)), metrics.sessionAge),
        observe(() => max(all().map(({ generation }) => generation ?? 0)), metrics.sessionGeneration),
        observe(() => max(all().map((session) => (session.isStored ? 0 : age(session)))), metrics.unpersisted)
      ])
  }
}

/**
 * Records the metrics. Provide this layer beneath the clients, where you provide the exporter.
 *
 * @example
 * ```ts
 * import { Telemetry } from "@effect-custody/core"
 * import { NodeCustody } from "@effect-custody/node"
 * import { Layer } from "effect"
 *
 * const live = NodeCustody.layerConfig().pipe(Layer.provideMerge(Telemetry.layer()))
 * ```
 *
 * @since 0.1.0
 * @category layers
 */
export const layer = (
  options: {
    /** Sends W3C `traceparent` with every request. The service then learns the id of your trace. Default: false. */
    readonly traceContext?: boolean | undefined
  } = {}
): Layer.Layer<never> =>
  Layer.effect(
    Listener,
    Effect.map(Effect.context<never>(), (context) => make(context, options.traceContext ?? false))
  )
