/**
 * What a program learns when the answer to a payment is lost: the calls that pay, of this SDK and of others, through the
 * same faults on sockets, with and without TLS. `bench/lost-answers` has the packages that nothing else here needs, and
 * is installed now, from its lock file. `--agents` tries the tools of agents instead, from a folder of their own.
 *
 * `pnpm bench lost-answers [--agents] [--only FILE,…] [--save]`
 */
import { fork } from "node:child_process"
import { globSync } from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import { parseArgs } from "node:util"
import { selfSigned } from "../../../test/support/servers/selfSigned.ts"
import { replaceIn } from "../../../tools/docs/tables.ts"
import { pnpm, root } from "../../../tools/workspace.ts"
import { type Certificate, toEnvironment } from "../calls/tls.ts"
import { explanations } from "./cases.ts"
import type { Cell } from "./cell.ts"
import { differences, matrix, rowsOf, summary, summaryOfAgents, telling } from "./table.ts"
import { rules } from "./verdict.ts"

const { values } = parseArgs({
  options: {
    agents: { type: "boolean", default: false },
    only: { type: "string" },
    save: { type: "boolean", default: false }
  }
})

const [folder, contenders] = values.agents
  ? ["bench/lost-answers/agents", "bench/lost-answers/agents/tools/*.ts"]
  : ["bench/lost-answers", "bench/{src/lostAnswers/contenders,lost-answers}/*.ts"]
pnpm(["install", "--ignore-workspace", "--frozen-lockfile", "--ignore-scripts"], {
  cwd: Path.join(root, folder),
  stdout: "ignore"
})

const modules = globSync(contenders, { cwd: root })
  .filter((file) => values.only === undefined || values.only.split(",").includes(Path.basename(file, ".ts")))
  .map((file) => Path.join(root, file))
  .sort((a, b) => Path.basename(a).localeCompare(Path.basename(b)))

const run = (module: string, certificate: Certificate | undefined): Promise<ReadonlyArray<Cell>> =>
  new Promise((resolve, reject) => {
    const cells: Array<Cell> = []
    const env = { ...process.env, ...toEnvironment(certificate) }
    const child = fork(Path.join(import.meta.dirname, "process.ts"), [module, values.agents ? "agents" : "programs"], {
      env,
      execArgv: values.agents ? preload : [],
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    child.on("message", (cell: Cell) => void cells.push(cell))
    child.once("exit", (code) => (code === 0 ? resolve(cells) : reject(new Error(`${module} ended with ${code}`))))
  })

/** In a process that runs a vendor's tools, every host leads here: the hosts are fixed in their code. */
const preload = ["--import", pathToFileURL(Path.join(import.meta.dirname, "vendors.ts")).href]

/** Most of a process's time is waiting for the slow answer. More of them at once start too slowly for this SDK's limits. */
const atOnce = 4

const started = performance.now()
const certificate = selfSigned()
// The hosts of agents' tools are reached over TLS alone.
const transports = values.agents ? [certificate] : [undefined, certificate]
const jobs = modules.flatMap((module) => transports.map((certificate) => ({ module, certificate })))
const found = jobs.map((): ReadonlyArray<Cell> => [])
const queue = jobs.entries()
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const [at, { certificate, module }] of queue) found[at] = await run(module, certificate)
  })
)
const rowsOver = (transport: Certificate | undefined) =>
  rowsOf(found.filter((_, at) => jobs[at]!.certificate === transport).flat())
const secure = rowsOver(certificate)

const seconds = Math.round((performance.now() - started) / 1000)
const head = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}.`
const told = (rows: typeof secure) =>
  `\nThe error tells a lost answer from an unread request: ${telling(rows).join(", ") || "nowhere"}`
if (values.agents) {
  if (values.save) replaceIn("docs/lost-answers.md", "agents", [head, summaryOfAgents(secure)].join("\n\n"))
  console.log([head, summaryOfAgents(secure), matrix(secure), explanations, rules, told(secure)].join("\n\n"))
} else {
  const plain = rowsOver(undefined)
  const overTls =
    differences(plain, secure) || "Over TLS, the counts and endings are the same (but the slow answer was not tried)."
  if (values.save)
    replaceIn("docs/lost-answers.md", "lost-answers", [head, summary(plain), overTls, rules.trim()].join("\n\n"))
  console.log([head, summary(plain), matrix(plain), explanations, rules, overTls, told(plain)].join("\n\n"))
}
console.log(`\n${found.flat().length} cells in ${seconds} s`)
