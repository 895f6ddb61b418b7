/**
 * Gauges over clients and sessions that come and go. A metric registry holds one series for each name and its labels,
 * so each series covers the clients or sessions of all telemetry layers on the registry.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type * as Scope from "effect/Scope"

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
export const makeKind = <A>(): ((context: Context.Context<never>) => Show<A>) => {
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
