/**
 * What the types of the 47 operations cost whoever compiles a program that calls them: `pnpm types-cost`. Fails where
 * the compiler makes 1.3 times as many types or instantiations, or uses 1.3 times the memory.
 *
 * Three programs, of which the compiler sees the declarations that are published:
 * - `without`: builds the client, and calls no operation;
 * - `with`: the same, and calls all 47;
 * - `plain`: as `with`, but over 47 functions with the same signatures that are nothing else, neither endpoints nor
 *   derived from contracts: the least that 47 typed effects can cost.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const runs = Number(process.argv[2] ?? 5)
const limit = 1.3

const here = import.meta.dirname
const root = Path.resolve(here, "../../..")
const tsc = Path.join(root, "node_modules/.bin/tsc")

/** Inside the workspace, so that its packages are found. */
const directory = Path.join(here, ".programs")

const configOf = (file: string, options: object) => ({
  extends: "../../../../tsconfig.base.json",
  compilerOptions: {
    composite: false,
    incremental: false,
    declaration: false,
    declarationMap: false,
    sourceMap: false,
    noEmit: true,
    rewriteRelativeImportExtensions: false,
    types: ["node"],
    plugins: [],
    ...options
  },
  files: [file],
  references: ["core", "authentication", "sdk", "node"].map((name) => ({ path: `../../../../packages/${name}` }))
})

const compile = (name: string, options: object = {}, ...args: ReadonlyArray<string>): string => {
  const config = Path.join(directory, `tsconfig.${name}.json`)
  writeFileSync(config, JSON.stringify(configOf(`${name}.ts`, options)))
  return execFileSync(tsc, ["-p", config, ...args], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] })
}

/** The three programs, side by side, each in a file of its own name. */
const prepare = (): void => {
  const source = (name: string) => readFileSync(Path.join(here, name), "utf8")
  rmSync(directory, { recursive: true, force: true })
  mkdirSync(directory)
  writeFileSync(Path.join(directory, "functions.ts"), source("plain.ts"))
  compile("functions", { noEmit: false, declaration: true, emitDeclarationOnly: true })
  rmSync(Path.join(directory, "functions.ts"))
  writeFileSync(Path.join(directory, "without.ts"), source("without.ts"))
  writeFileSync(Path.join(directory, "with.ts"), source("with.ts"))
  const namespaces = /import \{([^}]*)\} from "@effect-custody\/sdk"/.exec(source("with.ts"))!
  const names = namespaces[1]!.split(",").filter((name) => name.trim() !== "Custody")
  writeFileSync(
    Path.join(directory, "plain.ts"),
    source("with.ts").replace(
      namespaces[0],
      `import { Custody } from "@effect-custody/sdk"\nimport {${names.join(",")}} from "./functions.js"`
    )
  )
}

const figures = ["Types", "Instantiations", "Memory used", "Check time", "Total time"] as const
type Cost = Readonly<Record<(typeof figures)[number], number>>

const measure = (name: string): Cost => {
  const output = compile(name, {}, "--extendedDiagnostics")
  return Object.fromEntries(
    figures.map((figure) => [figure, Number(new RegExp(`^${figure}:\\s+([\\d.]+)`, "m").exec(output)?.[1])])
  ) as Cost
}

/** The run that other load on the machine disturbed least. */
const least = (costs: ReadonlyArray<Cost>): Cost =>
  Object.fromEntries(figures.map((figure) => [figure, Math.min(...costs.map((cost) => cost[figure]))])) as Cost

execFileSync(tsc, ["-b", Path.join(root, "packages/sdk"), Path.join(root, "packages/node")], { stdio: "inherit" })
prepare()
const programs = ["without", "plain", "with"] as const
const costs: Record<(typeof programs)[number], Array<Cost>> = { without: [], plain: [], with: [] }
for (let run = 0; run < runs; run++) {
  for (const program of programs) costs[program].push(measure(program))
}
rmSync(directory, { recursive: true })

const [without, plain, all] = [least(costs.without), least(costs.plain), least(costs.with)]
console.log(`the least of ${runs} runs; the counts decide, since the times are those of the machine`)
console.table({ without, plain, with: all })

const ratios = {
  "with / without, memory": all["Memory used"] / without["Memory used"],
  "with / plain, types": all.Types / plain.Types,
  "with / plain, instantiations": all.Instantiations / plain.Instantiations
}
for (const [name, ratio] of Object.entries(ratios)) console.log(`${name}: ${ratio.toFixed(2)}`)
const above = Object.entries(ratios).filter(([, ratio]) => !(ratio <= limit))
if (above.length > 0) {
  console.error(`above ${limit}: ${above.map(([name]) => name).join("; ")}`)
  process.exitCode = 1
}
