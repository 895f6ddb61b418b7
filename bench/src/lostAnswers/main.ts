/**
 * What a program learns when the answer to a payment is lost: the calls that pay, of this SDK and of others, through the
 * same faults on sockets, with and without TLS. `bench/lost-answers` has the packages that nothing else here needs, and
 * is installed now, from its lock file.
 *
 * `pnpm bench lost-answers [--only FILE,…] [--save]`
 */
import { fork } from "node:child_process"
import { globSync } from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { selfSigned } from "../../../test/support/servers/selfSigned.ts"
import { replaceIn } from "../../../tools/docs/tables.ts"
import { pnpm, root } from "../../../tools/workspace.ts"
import { type Certificate, toEnvironment } from "../calls/tls.ts"
import { explanations } from "./cases.ts"
import type { Cell } from "./cell.ts"
import { differences, matrix, rowsOf, summary, telling } from "./table.ts"
import { rules } from "./verdict.ts"

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    save: { type: "boolean", default: false }
  }
})

const folder = Path.join(root, "bench/lost-answers")
pnpm(["install", "--ignore-workspace", "--frozen-lockfile", "--ignore-scripts"], { cwd: folder, stdout: "ignore" })

const modules = globSync("bench/{src/lostAnswers/contenders,lost-answers}/*.ts", { cwd: root })
  .filter((file) => values.only === undefined || values.only.split(",").includes(Path.basename(file, ".ts")))
  .map((file) => Path.join(root, file))
  .sort((a, b) => Path.basename(a).localeCompare(Path.basename(b)))

const run = (module: string, certificate: Certificate | undefined): Promise<ReadonlyArray<Cell>> =>
  new Promise((resolve, reject) => {
    const cells: Array<Cell> = []
    const env = { ...process.env, ...toEnvironment(certificate) }
    const child = fork(Path.join(import.meta.dirname, "process.ts"), [module], {
      env,
      stdio: ["ignore", "ignore", "inherit", "ipc"]
    })
    child.on("message", (cell: Cell) => void cells.push(cell))
    child.once("exit", (code) => (code === 0 ? resolve(cells) : reject(new Error(`${module} ended with ${code}`))))
  })

/** Most of a process's time is waiting for the slow answer. More of them at once start too slowly for this SDK's limits. */
const atOnce = 4

const started = performance.now()
const certificate = selfSigned()
const jobs = modules.flatMap((module) => [{ module }, { module, certificate }])
const found = jobs.map((): ReadonlyArray<Cell> => [])
const queue = jobs.entries()
await Promise.all(
  Array.from({ length: atOnce }, async () => {
    for (const [at, { certificate, module }] of queue) found[at] = await run(module, certificate)
  })
)
const ofTransport = (nth: 0 | 1) => rowsOf(found.filter((_, at) => at % 2 === nth).flat())
const plain = ofTransport(0)
const secure = ofTransport(1)

const seconds = Math.round((performance.now() - started) / 1000)
const head = `${new Date().toISOString().slice(0, 10)}, Node ${process.version}.`
const overTls =
  differences(plain, secure) || "Over TLS, the counts and endings are the same (but the slow answer was not tried)."
if (values.save)
  replaceIn("docs/lost-answers.md", "lost-answers", [head, summary(plain), overTls, rules.trim()].join("\n\n"))
console.log([head, summary(plain), matrix(plain), explanations, rules, overTls].join("\n\n"))
console.log(`\nThe error tells a lost answer from an unread request: ${telling(plain).join(", ") || "nowhere"}`)
console.log(`\n${found.flat().length} cells in ${seconds} s`)
