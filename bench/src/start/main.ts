/**
 * What a program costs before it does anything, beside what its parts cost: the time from the start of a process to its
 * first answer, the CPU time until then, and the size of a bundle of the same program. Processes take turns, so that the
 * ratios hold on a machine whose speed drifts. For the packages as they are built: `pnpm build` first. Prints the size of a
 * bundle with one endpoint for a browser's runtime, too.
 *
 * `pnpm bench start [--rounds N] [--save]`
 */
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtempDisposableSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { startProcess } from "../calls/rounds.ts"
import { replaceIn, table } from "../../../tools/docs/tables.ts"
import { quantile, ratios, spread } from "../support/statistics.ts"
import { builtFile } from "./builtFile.ts"
import type { Times } from "./programs/answered.ts"

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "21" },
    save: { type: "boolean", default: false }
  }
})

const baseline = "bare Effect (undici)"

const programs = {
  "effect-custody, one category": "category",
  "effect-custody (sdk and node)": "custody",
  [baseline]: "effect",
  "undici.request": "undici"
} as const
type Name = keyof typeof programs
const names = Object.keys(programs) as ReadonlyArray<Name>

using folder = mkdtempDisposableSync(Path.join(Os.tmpdir(), "custody-bench-"))
const server = await startProcess(undefined, "server.ts", "http")
const origin = String(server.said)
const environment = {
  PATH: process.env["PATH"],
  ORIGIN: origin,
  CUSTODY_BASE_URL: `${origin}/api/integration`,
  CUSTODY_API_KEY: "one-time-key",
  CUSTODY_SESSION_FILE: Path.join(folder.path, "session.db")
}

const fileOf = (program: string): string => Path.join(import.meta.dirname, "programs", `${program}.ts`)
const built = Path.join(import.meta.dirname, "built.ts")

/** Runs a program once. */
const start = async (name: Name): Promise<Times> => {
  const child = spawn(process.execPath, ["--import", built, fileOf(programs[name])], {
    env: environment,
    stdio: ["ignore", "pipe", "inherit"]
  })
  let text = ""
  child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()))
  const [code] = await once(child, "close")
  if (code !== 0 || text === "") throw new Error(`${name} ended with ${code}`)
  return JSON.parse(text)
}

/** The size of the bundle of a program, in bytes after gzip; with `external`, without the modules whose names match. */
const bundleSize = async (program: string, platform: "browser" | "node", external?: RegExp): Promise<number> => {
  await using bundle = await rolldown({
    input: fileOf(program),
    platform,
    ...(external === undefined ? {} : { external }),
    logLevel: "silent",
    plugins: [{ name: "built", resolveId: (specifier) => builtFile(specifier) }]
  })
  const { output } = await bundle.generate({ format: "esm", minify: true })
  const code = output.map((chunk) => (chunk.type === "chunk" ? chunk.code : "")).join("")
  return gzipSync(code, { level: 9 }).byteLength
}

/** Rounds that are run and forgotten: the first one starts the session, and the files get into the cache of the disk. */
const warmUp = 2

const measured = new Map(names.map((name) => [name, [] as Array<Times>]))
for (let round = -warmUp; round < Number(values.rounds); round++) {
  for (const name of round % 2 === 0 ? names : names.toReversed()) {
    const times = await start(name)
    if (round >= 0) measured.get(name)!.push(times)
  }
}
server.child.disconnect()

const series = (name: Name, kind: keyof Times): ReadonlyArray<number> => measured.get(name)!.map((times) => times[kind])
const rows = await Promise.all(
  names.map(async (name) => {
    const against = (kind: keyof Times) => {
      const all = ratios(series(name, kind), series(baseline, kind))
      return { ratio: quantile(all, 0.5), spread: spread(all) }
    }
    return {
      name,
      answered: against("answered"),
      imported: against("imported"),
      cpu: against("cpu"),
      milliseconds: quantile(series(name, "answered"), 0.5),
      bundle: await bundleSize(programs[name], "node")
    }
  })
)

const shown = ({ ratio, spread: { high, low } }: (typeof rows)[number]["cpu"]): string =>
  `${ratio.toFixed(2)} (${low.toFixed(2)}–${high.toFixed(2)})`

const kilobytes = (bytes: number): string => `${(bytes / 1_000).toFixed(0)} kB`

const times = table(
  ["", "first answer", "import", "CPU until the answer", "first answer, ms", "bundle, gzip"],
  rows.map(({ answered, bundle, cpu, imported, milliseconds, name }) => [
    name,
    shown(answered),
    shown(imported),
    shown(cpu),
    milliseconds.toFixed(0),
    kilobytes(bundle)
  ]),
  1
)
const heading =
  `A new process until its first answer, as a multiple of what ${baseline} takes in the same round: the median of ` +
  `${values.rounds} rounds (and their middle half). ${new Date().toISOString().slice(0, 10)}, Node ${process.version}, ` +
  `${Os.cpus().length} × ${Os.cpus()[0]?.model ?? "unknown"}, loopback. Ours reads a stored session. Bundles are for Node.`
const [endpoint, ours, bare] = await Promise.all([
  bundleSize("browserEndpoint", "browser"),
  bundleSize("browserEndpoint", "browser", /^(?:effect|@noble)\//),
  bundleSize("browserEffect", "browser")
])
console.log(`${heading}\n\n${times}\n`)
console.log(
  `For a browser, with one endpoint: ${kilobytes(endpoint)}, of which ours is ${kilobytes(ours)}; ` +
    `with Effect's own client: ${kilobytes(bare)}`
)
if (values.save) replaceIn("docs/internals/speed.md", "start", `${heading}\n\n${times}`)
