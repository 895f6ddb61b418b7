import { OperatorLog, type SessionStatus, Telemetry } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { PrometheusMetrics } from "effect/observability"
import { globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")
const guide = readFileSync(Path.join(root, "docs/operations.md"), "utf8")

/** The rows of a table of the guide, by its head. */
const rowsBelow = (...head: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const lines = guide.split("\n")
  const at = lines.indexOf(`| ${head.join(" | ")} |`)
  assert.isAtLeast(at, 0, `a table of ${head.join(", ")}`)
  const after = lines.slice(at + 2)
  return after
    .slice(
      0,
      after.findIndex((line) => !line.startsWith("|"))
    )
    .map((line) => line.slice(2, -2).split(" | "))
}

/** Everything that users run, without what is only shown in comments. */
const sources = globSync("packages/{core,authentication,node,postgres,sdk}/src/**/*.ts", { cwd: root }).map((file) => ({
  file,
  text: readFileSync(Path.join(root, file), "utf8").replaceAll(/^\s*(?:\/?\*|\/\/).*$/gm, "")
}))

describe("the operations guide", () => {
  it("has each log line, with its level, what it says and what to do", () => {
    assert.deepStrictEqual(
      rowsBelow("log line", "level", "what happened", "what to do"),
      Object.entries(OperatorLog.lines).map(([name, { action, event, level }]) => [`\`${name}\``, level, event, action])
    )
  })

  it("has each metric, with its type and its labels", () => {
    assert.deepStrictEqual(
      rowsBelow("metric", "type", "unit", "labels", "what it says"),
      Object.values(Telemetry.metrics).map(({ description, labels, name, type, unit }) => [
        `\`${name}\``,
        type,
        `\`${unit}\``,
        labels.map((label) => `\`${label}\``).join(", "),
        description
      ])
    )
  })

  it("every log line is written somewhere, and nothing logs around them", () => {
    for (const name of Object.keys(OperatorLog.lines)) {
      const users = sources.filter(
        ({ text }) => text.includes(`report("${name}"`) || text.includes(`\n      "${name}",`)
      )
      assert.isAtLeast(users.length, 1, name)
    }
    const around = sources.filter(
      ({ file, text }) => !file.endsWith("OperatorLog.ts") && /Effect\.log|console\./.test(text)
    )
    assert.deepStrictEqual(
      around.map(({ file }) => file),
      []
    )
  })
})

/** What Prometheus finds when it scrapes every metric: the names of its series, with their labels. */
const scraped = Effect.gen(function* () {
  const listener = (yield* Telemetry.Listener)!
  listener.callEnded("a", "uncertain", 1)
  listener.attemptEnded("a", "b")
  listener.rotationEnded("a", 1)
  listener.sessionEvent("a")
  yield* listener.showClient(() => ({ budgetLeft: 1, waiters: 0 }))
  yield* listener.showSession(() => ({
    state: "serving",
    generation: 1,
    obtainedAt: 1,
    isStored: true
  }))
  const series = new Map<string, ReadonlySet<string>>()
  for (const line of (yield* PrometheusMetrics.format()).split("\n")) {
    const [, name, labels = ""] = /^(\w+)(?:\{(.*)\})? /.exec(line) ?? []
    if (name !== undefined) series.set(name, new Set([...labels.matchAll(/(\w+)="/g)].map((found) => found[1]!)))
  }
  return series
}).pipe(
  Effect.scoped,
  Effect.provide(
    Layer.provideMerge(
      Telemetry.layer(),
      Layer.sync(Metric.MetricRegistry, () => new Map())
    )
  )
)

/** What a scrape adds to every series. */
const added = ["job", "instance"]

const read = (file: string) => readFileSync(Path.join(root, "docs/operations", file), "utf8")

/** The expressions of the alert rules and the dashboard, which `pnpm operations` reads as PromQL. */
const expressions: ReadonlyArray<readonly [where: string, expr: string]> = [
  ...[...read("alerts.yaml").matchAll(/alert: (\w+)\n\s+expr: ([^]*?)\n\s+(?:for|labels):/g)].map(
    ([, alert, expr]) => [alert!, expr!] as const
  ),
  ...(
    JSON.parse(read("dashboard.json")) as {
      readonly panels: ReadonlyArray<{
        readonly title: string
        readonly targets: ReadonlyArray<{ readonly expr: string }>
      }>
    }
  ).panels.flatMap(({ targets, title }) => targets.map(({ expr }) => [title, expr] as const))
]

/** The alerts: what fires them, and whom they call. */
const alerts = [
  ...read("alerts.yaml").matchAll(/alert: (\w+)\n\s+expr: ([^]*?)\n(?:\s+for: \w+\n)?\s+labels:\n\s+severity: (\w+)/g)
].map(([, name, expr, severity]) => ({ name: name!, expr: expr!, severity: severity! }))

/** Whether every call fails in this state, so that a person has to act. A session in `none` starts with the first call. */
const callsFail: Readonly<Record<SessionStatus["state"], boolean>> = {
  none: false,
  serving: false,
  rotating: false,
  unpersisted: false,
  refused: true,
  ambiguous: false,
  lost: true
}

/** Which alert sees an outage that ends every call in this way. One that a program's own input causes has none. */
const seenBy: Readonly<Record<Telemetry.CallOutcome, string | undefined>> = {
  succeeded: undefined,
  refused: "CustodyCallsRefused",
  throttled: "CustodyCallsFail",
  uncertain: "CustodyOutcomeUncertain",
  not_sent: "CustodyCallsFail",
  unanswered: "CustodyCallsFail",
  unreadable: "CustodyCallsFail",
  no_token: "CustodyCallsFail",
  invalid: undefined,
  unconfirmed: "CustodyEndpointUnconfirmed",
  interrupted: "CustodyCallsInterrupted",
  defect: "CustodyCallsFail"
}

describe("the alert rules and the dashboard", () => {
  it.effect("name metrics that are exported, with labels that they have", () =>
    Effect.gen(function* () {
      const series = yield* scraped
      assert.strictEqual([...series.keys()].filter((name) => !/_(?:bucket|sum)$/.test(name)).length, 12)
      assert.isAbove(expressions.length, 20)
      for (const [where, expr] of expressions) {
        const named = [...expr.matchAll(/(custody_\w+)(?:\{([^}]*)\})?/g)]
        assert.isAtLeast(named.length, 1, where)
        const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap((found) => found[1]!.split(", "))
        for (const [, name = "", matchers = ""] of named) {
          const labels = series.get(name)
          if (labels === undefined) assert.fail(`${where}: there is no ${name}`)
          const used = [...matchers.matchAll(/(\w+)[=!]/g)].map((found) => found[1]!)
          for (const label of [...used, ...grouped]) {
            assert.isTrue(labels.has(label) || added.includes(label), `${where}: ${name} has no label ${label}`)
          }
        }
      }
    })
  )

  it("say to a person what to do, and each is tried", () => {
    const rules = read("alerts.yaml")
    assert.strictEqual(rules.match(/^ +- alert: /gm)?.length, alerts.length)
    assert.strictEqual(rules.match(/^ +action: /gm)?.length, alerts.length)
    const tried = read("alerts.test.yaml")
    for (const { name } of alerts) assert.isAtLeast(tried.split(name).length - 1, 2, name)
  })

  it("page a person for each state of a session in which every call fails, and for no other", () => {
    for (const [state, fails] of Object.entries(callsFail)) {
      const pages = alerts.filter(({ expr, severity }) => severity === "page" && expr.includes(`{state="${state}"}`))
      assert.lengthOf(pages, fails ? 1 : 0, state)
    }
  })

  it("see every outage, however it ends the calls", () => {
    for (const [outcome, alert] of Object.entries(seenBy)) {
      const seeing = alerts.filter(({ expr }) =>
        outcome === "uncertain"
          ? expr.includes("custody_uncertain_outcomes_total")
          : [...expr.matchAll(/outcome=~?"([^"]*)"/g)].some((found) => found[1]!.split("|").includes(outcome))
      )
      assert.deepStrictEqual(
        seeing.map(({ name }) => name),
        alert === undefined ? [] : [alert],
        outcome
      )
    }
  })

  it("are explained in the guide, each with whom it calls", () => {
    assert.deepStrictEqual(
      rowsBelow("alert", "severity", "when it fires").map(([name, severity]) => [name, severity]),
      alerts.map(({ name, severity }) => [`\`${name}\``, severity])
    )
  })
})
