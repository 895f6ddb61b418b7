/**
 * What telemetry costs a call, in CPU time of the process, as a multiple of the same client without it. The service is a
 * function in the same process that answers at once, so nothing hides the cost.
 *
 * `node src/telemetry/main.ts [--rounds N] [--calls N] [--pairs N]`
 *
 * Exits with 1 if the client without a listener costs over 1 % more, or if that many pairs do not decide it.
 */
import { Environment, RetryPolicy, Telemetry, TokenService } from "@effect-custody/core"
import { Transport } from "@effect-custody/core/unstable/Transport"
import { CustodyClient } from "@effect-custody/core/CustodyClient"
import { Vaults } from "@effect-custody/sdk"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { Otlp } from "effect/observability"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import * as Tracer from "effect/Tracer"
import { registerHooks } from "node:module"
import { parseArgs } from "node:util"
import { jobs } from "../calls/jobs.ts"
import { medianWithin, quantile, ratios, spread, undisturbed } from "../support/statistics.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "301" },
    calls: { type: "string", default: "160" },
    pairs: { type: "string", default: "4000" }
  }
})
const rounds = Number(values.rounds)
const calls = Number(values.calls)
const inFlight = 32
// Short rounds, so that other load on the machine affects neighbouring rounds alike.
const warmUp = 20

/** A second copy of the client, without the check whether somebody listens. */
const question = "Instrumentation.isOn(listener, fiber) ? (observed ??= makeObserved()) : call"
registerHooks({
  resolve: (specifier, context, next) => {
    if (!specifier.endsWith("?without-telemetry")) return next(specifier, context)
    const resolved = next(specifier.slice(0, specifier.indexOf("?")), context)
    return { ...resolved, url: `${resolved.url}?without-telemetry` }
  },
  load: (url, context, next) => {
    const loaded = next(url, context)
    if (!url.endsWith("?without-telemetry")) return loaded
    const { source: given } = loaded
    const source = typeof given === "string" ? given : new TextDecoder().decode(given)
    if (source.split(question).length !== 2) throw new Error("CustodyClient asks in another way now")
    return { ...loaded, source: source.replace(question, "call") }
  }
})
const copy = "@effect-custody/core/CustodyClient?without-telemetry"
const without = ((await import(copy)) as { readonly CustodyClient: typeof CustodyClient }).CustodyClient

/** Answers every request at once. */
const service = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) =>
    Effect.succeed(HttpClientResponse.fromWeb(request, new Response(jobs.read.answer, { status: jobs.read.status })))
  )
)

const token = { value: Redacted.make("access-token"), generation: 0 }
const tokens = Layer.succeed(
  TokenService,
  TokenService.of({
    current: Effect.succeed(token),
    inUse: () => token,
    rotate: () => Effect.succeed(token),
    reload: () => Effect.succeed(token),
    start: () => Effect.succeed(token),
    settled: Effect.void,
    secrets: Effect.succeed([]),
    status: Effect.succeed({
      identity: "default",
      state: "serving",
      generation: Option.some(0),
      expiresAt: Option.none(),
      vaultId: Option.none(),
      hasUnusedKey: false
    }),
    subscribe: () => Effect.void
  })
)

/** Spans that nobody keeps. */
const spans = Layer.succeed(Tracer.Tracer, Tracer.make({ span: (options) => new Tracer.NativeSpan(options) }))

/** Spans and metrics to a collector that takes them at once. */
const exported = Otlp.layerJson({
  baseUrl: "http://collector",
  resource: { serviceName: "bench" },
  tracerExportInterval: "100 millis",
  metricsExportInterval: "100 millis"
}).pipe(
  Layer.provide(
    Layer.succeed(
      HttpClient.HttpClient,
      HttpClient.make((request) => Effect.succeed(HttpClientResponse.fromWeb(request, new Response("{}"))))
    )
  )
)

const variants: Readonly<Record<string, readonly [client: typeof CustodyClient, telemetry: Layer.Layer<never>]>> = {
  "without telemetry": [without, Layer.empty],
  "nobody listens": [CustodyClient, Layer.empty],
  metrics: [CustodyClient, Telemetry.layer()],
  spans: [CustodyClient, spans],
  "metrics, and spans exported by OTLP": [CustodyClient, Layer.merge(Telemetry.layer(), Layer.fresh(exported))]
}

const runs = await Promise.all(
  Object.values(variants).map(async ([client, telemetry]) => {
    const layer = client
      .layer({ retry: RetryPolicy.none })
      .pipe(
        Layer.provideMerge([
          Transport.layer({ environment: Environment.local("http://localhost") }).pipe(Layer.provide(service)),
          tokens
        ]),
        Layer.provideMerge(telemetry),
        Layer.provideMerge(Layer.sync(Metric.MetricRegistry, () => new Map()))
      )
    const context = await Effect.runPromise(Layer.buildWithScope(Layer.fresh(layer), Scope.makeUnsafe()))
    if (Context.getOption(context, CustodyClient)._tag === "None") throw new Error("the copy has a service of its own")
    const all = Effect.suspend(() => {
      let left = calls
      const worker = Effect.whileLoop({
        while: () => left-- > 0,
        body: () => Effect.andThen(Vaults.details(), Effect.yieldNow),
        step: () => {}
      })
      return Effect.forEach(Array.from({ length: inFlight }), () => worker, { concurrency: "unbounded", discard: true })
    })
    return () => Effect.runPromise(Effect.provideContext(all, context))
  })
)

/** The CPU time of the process for one round of a variant, in µs per call. */
const cost = async (at: number): Promise<number> => {
  const cpu = process.cpuUsage()
  await runs[at]!()
  const { system, user } = process.cpuUsage(cpu)
  return (user + system) / calls
}

const costs = runs.map((): Array<number> => [])
for (let round = -warmUp; round < rounds; round++) {
  // Variants take turns to be first, and none always follows the same one.
  const order = runs.map((_, at) => (at + Math.max(0, round)) % runs.length)
  for (const at of round % 2 === 0 ? order : order.toReversed()) {
    const spent = await cost(at)
    if (round >= 0) costs[at]!.push(spent)
  }
}

console.log(`CPU time of a read undisturbed, ${rounds} rounds of ${calls} calls, Node ${process.version}\n`)
console.log("| | µs | × without telemetry | × in the middle half of the rounds |\n| --- | ---: | ---: | ---: |")
Object.keys(variants).forEach((name, at) => {
  const [own, base] = [undisturbed(costs[at]!), undisturbed(costs[0]!)]
  const { high, low } = spread(ratios(costs[at]!, costs[0]!))
  console.log(`| ${name} | ${own.toFixed(1)} | ${(own / base).toFixed(3)} | ${low.toFixed(2)}–${high.toFixed(2)} |`)
})

/** What the client without a listener may cost. */
const most = 1.01
const fewest = 200
const pairs: Array<number> = []
let within = { low: 0, high: Number.POSITIVE_INFINITY }
while (pairs.length < fewest || (pairs.length < Number(values.pairs) && within.low <= most && within.high > most)) {
  // One, the other twice, and the first one again, so that a steady drift affects both alike.
  const isFirst = pairs.length % 2
  const outer = await cost(isFirst)
  const inner = (await cost(1 - isFirst)) + (await cost(1 - isFirst))
  const around = outer + (await cost(isFirst))
  pairs.push(isFirst === 1 ? around / inner : inner / around)
  if (pairs.length % 100 === 0) within = medianWithin(pairs)
}
const verdict = within.high <= most ? "at most 1 % more" : within.low > most ? "more than 1 % more" : "undecided"
console.log(
  `\nnobody listens: ${verdict}. Median of ${pairs.length} pairs × ${quantile(pairs, 0.5).toFixed(4)}, ` +
    `99 % confidence ${within.low.toFixed(4)}–${within.high.toFixed(4)}`
)
process.exit(within.high <= most ? 0 : 1)
