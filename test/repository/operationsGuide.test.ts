import { type SessionStatus, Telemetry } from "@effect-custody/core"
import * as OperatorLog from "@effect-custody/core/siblings/OperatorLog"
import { Payouts } from "@effect-custody/ledger"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { PrometheusMetrics } from "effect/observability"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { lines as ofSessions } from "../../packages/authentication/src/sessionState.ts"
import { lines as ofPayouts } from "../../packages/extensions/ledger/src/metrics.ts"
import { lines as ofFiles } from "../../packages/node/src/internal/sqliteFile.ts"
import { anchorsOf } from "./anchors.ts"

const read = (file: string) => readFileSync(Path.resolve(import.meta.dirname, "../../docs", file), "utf8")

/** The rows of a table of the guide, by its head. */
const rowsBelow = (...head: ReadonlyArray<string>): ReadonlyArray<ReadonlyArray<string>> => {
  const [, after = ""] = read("operations.md").split(`\n| ${head.join(" | ")} |\n`)
  const [, rows = ""] = /^.*\n((?:\|.*\n)*)/.exec(after) ?? []
  return rows
    .trimEnd()
    .split("\n")
    .map((line) => line.slice(2, -2).split(" | "))
}

/** The names in a row of a list of the guide, by its first word. */
const listed = (first: string): ReadonlyArray<string> =>
  new RegExp(`^- \\*\\*${first}\\*\\*: (.+)$`, "m").exec(read("operations.md"))?.[1]?.split(", ") ?? []

/** The alerts: what fires them, whom they call, and where these read what to do. */
const alerts = [
  ...read("operations/alerts.yaml").matchAll(
    /alert: (\w+)\n\s+expr: ([^]*?)\n(?:\s+for: \w+\n)?\s+labels:\n\s+severity: (\w+)\n\s+annotations:\n\s+runbook_url: (\S+)/g
  )
].map(([, name = "", expr = "", severity = "", runbook = ""]) => ({ name, expr, severity, runbook }))

describe("the operations guide", () => {
  it("the guide lists each log line by its level", () => {
    const lines = Object.entries({ ...ofSessions, ...ofFiles, ...OperatorLog.lines, ...ofPayouts })
    for (const level of new Set(lines.map(([, line]) => line.level))) {
      const names = lines.filter(([, line]) => line.level === level).map(([name]) => `\`${name}\``)
      assert.deepStrictEqual(listed(level), names)
    }
  })

  it("the name of each metric shows its type", () => {
    for (const { name, type } of Object.values(Telemetry.metrics)) {
      const expected = name.endsWith("_total") ? "counter" : name.endsWith("_duration_seconds") ? "histogram" : "gauge"
      assert.strictEqual(type, expected, name)
    }
  })

  it.each([
    ["metric", Telemetry.metrics],
    ["metric of the ledger", Payouts.metrics]
  ] as const)("the guide lists each %s with its labels", (head, metrics) => {
    assert.deepStrictEqual(
      rowsBelow(head, "labels", "what it says"),
      Object.values(metrics).map(({ description, labels, name }) => [
        `\`${name}\``,
        labels.map((label: string) => `\`${label}\``).join(", "),
        description
      ])
    )
  })

  it("the guide lists each alert with its severity", () => {
    assert.isAbove(alerts.length, 10)
    for (const severity of ["page", "ticket"]) {
      const expected = alerts.filter((alert) => alert.severity === severity).map(({ name }) => `\`${name}\``)
      assert.deepStrictEqual(listed(severity), expected)
    }
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
  for (const { labels, name } of Object.values(Payouts.metrics)) series.set(name, new Set(labels))
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

/** The expressions of the alert rules and the dashboard, which `pnpm run docs operations` reads as PromQL. */
const expressions: ReadonlyArray<string> = [
  ...alerts.map(({ expr }) => expr),
  ...[...read("operations/dashboard.json").matchAll(/"expr": "((?:[^"\\]|\\.)*)"/g)].map(([, expr]): string =>
    JSON.parse(`"${expr}"`)
  )
]

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

describe("the alert rules and the dashboard", () => {
  it("each alert leads to a section of the documentation, in the repository that the packages name", () => {
    assert.lengthOf(alerts, [...read("operations/alerts.yaml").matchAll(/- alert:/g)].length)
    const { repository } = JSON.parse(read("../package.json"))
    for (const { name, runbook } of alerts) {
      const [place = "", anchor = ""] = runbook.split("#")
      const file = place.replace(`${repository}/blob/main/docs/`, "")
      assert.notStrictEqual(file, place, name)
      const page = read(file)
      assert.isTrue(anchor === "" || anchorsOf(page).has(anchor), `${name}: ${runbook}`)
    }
  })

  it.effect("the alert rules and the dashboard use only exported metrics and labels", () =>
    Effect.gen(function* () {
      const series = yield* scraped
      assert.strictEqual([...series.keys()].filter((name) => !/_(?:bucket|sum)$/.test(name)).length, 17)
      assert.isAbove(expressions.length, 20)
      for (const expr of expressions) {
        const named = [...expr.matchAll(/(custody_\w+)(?:\{([^}]*)\})?/g)]
        assert.isAtLeast(named.length, 1, expr)
        const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap((found) => found[1]!.split(", "))
        for (const [, name = "", matchers = ""] of named) {
          const labels = series.get(name)
          if (labels === undefined) assert.fail(`there is no ${name}: ${expr}`)
          const used = [...matchers.matchAll(/(\w+)[=!]/g)].map((found) => found[1]!)
          for (const label of [...used, ...grouped]) {
            assert.isTrue(
              ["job", "instance"].includes(label) || labels.has(label),
              `${name} has no label ${label}: ${expr}`
            )
          }
        }
      }
    })
  )

  it("the alert rules page a person exactly for the session states in which every call fails", () => {
    for (const [state, fails] of Object.entries(callsFail)) {
      const pages = alerts.filter(({ expr, severity }) => severity === "page" && expr.includes(`{state="${state}"}`))
      assert.lengthOf(pages, fails ? 1 : 0, state)
    }
  })
})
