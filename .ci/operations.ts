/**
 * `pnpm operations`: the alert rules and the dashboard of `docs/operations` in the hands of Prometheus' own tool. The rules
 * are checked and tried on histories, and every expression of the dashboard is read as PromQL. Needs `promtool`, which
 * Debian has in the package `prometheus`.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { root } from "./workspace.ts"

interface Dashboard {
  readonly panels: ReadonlyArray<{ readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

const folder = Path.join(root, "docs/operations")
const promtool = (...args: ReadonlyArray<string>): void => {
  execFileSync("promtool", args, { cwd: folder, stdio: "inherit" })
}

promtool("check", "rules", "alerts.yaml")
promtool("test", "rules", "alerts.test.yaml")

const dashboard = JSON.parse(readFileSync(Path.join(folder, "dashboard.json"), "utf8")) as Dashboard
const rules = dashboard.panels.flatMap(({ targets }, panel) =>
  targets.map(({ expr }, target) => ({
    record: `dashboard:panel:${panel}_${target}`,
    expr: expr.replaceAll("$__rate_interval", "5m")
  }))
)
const directory = mkdtempSync(Path.join(Os.tmpdir(), "dashboard-"))
try {
  const file = Path.join(directory, "dashboard.yaml")
  // JSON is YAML.
  writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }))
  promtool("check", "rules", file)
} finally {
  rmSync(directory, { recursive: true })
}
