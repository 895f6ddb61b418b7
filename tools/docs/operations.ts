/**
 * `pnpm run docs operations`: the alert rules and the dashboard of `docs/operations` in the hands of Prometheus' and
 * Grafana's own tools. The rules are checked and tried on histories, every expression of the dashboard is read as
 * PromQL, and the dashboard itself is checked against the types that Grafana publishes. Needs `promtool`, which Debian
 * has in the package `prometheus`.
 */
import { execFileSync } from "node:child_process"
import { readFileSync, symlinkSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { temporaryFolder } from "../release/copy.ts"
import { root } from "../workspace.ts"

interface Dashboard {
  readonly panels: ReadonlyArray<{ readonly title: string; readonly targets: ReadonlyArray<{ readonly expr: string }> }>
}

const folder = Path.join(root, "docs/operations")
const promtool = (...args: ReadonlyArray<string>): void => {
  execFileSync("promtool", args, { cwd: folder, stdio: "inherit" })
}

promtool("check", "rules", "alerts.yaml")
promtool("test", "rules", "alerts.test.yaml")

const text = readFileSync(Path.join(folder, "dashboard.json"), "utf8")
const dashboard = JSON.parse(text) as Dashboard
const rules = dashboard.panels.flatMap(({ targets }, panel) =>
  targets.map(({ expr }, target) => ({
    record: `dashboard:panel:${panel}_${target}`,
    expr: expr.replaceAll("$__rate_interval", "5m")
  }))
)
/** The dashboard as a value of Grafana's type, whose enumerations stand as what they are in JSON. */
const typed = `import type { Dashboard } from "@grafana/schema"
type Plain<A> = A extends string
  ? \`\${A}\`
  : A extends ReadonlyArray<infer Item>
    ? Array<Plain<Item>>
    : A extends object
      ? { [Key in keyof A]: Plain<A[Key]> }
      : A
export const dashboard: Plain<Dashboard> = ${text}`

using directory = temporaryFolder()
symlinkSync(Path.join(root, "node_modules"), Path.join(directory.path, "node_modules"))
writeFileSync(Path.join(directory.path, "dashboard.ts"), typed)
execFileSync(
  Path.join(root, "node_modules/.bin/tsc"),
  ["--noEmit", "--strict", "--skipLibCheck", "--module", "nodenext", "--types", "", "dashboard.ts"],
  { cwd: directory.path, stdio: "inherit" }
)
const file = Path.join(directory.path, "dashboard.yaml")
// JSON is YAML.
writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }))
promtool("check", "rules", file)
