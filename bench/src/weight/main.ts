/**
 * What the packages weigh, as they are built (`pnpm build` first): the time to import them compared with their
 * dependencies, the size of a bundle with one endpoint, and the start of an emulator.
 *
 * `node src/weight/main.ts [--rounds N]`
 */
import { execFileSync } from "node:child_process"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "vite"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } })
const here = import.meta.dirname
const packages = Path.resolve(here, "../../../packages")

/** A new process, for the built packages. Gives the number that it prints. */
const measured = (file: string, ...args: ReadonlyArray<string>): number =>
  Number(
    execFileSync(process.execPath, ["--import", Path.join(here, "built.ts"), Path.join(here, file), ...args], {
      encoding: "utf8"
    })
  )

const baseline = ["effect/http", "effect/Schema", "undici"]
const imports = {
  "what we stand on": baseline,
  "one category": [...baseline, "@effect-custody/vaults"],
  "sdk and node": [...baseline, "@effect-custody/sdk", "@effect-custody/node"]
} as const
type Name = keyof typeof imports

const rounds = Array.from({ length: Number(values.rounds) }, () =>
  Object.fromEntries(
    Object.entries(imports).map(([name, specifiers]) => [name, measured("import.ts", ...specifiers)] as const)
  )
)
const least = (name: Name): number => Math.min(...rounds.map((round) => round[name]!))

/** The bundle of a program, in bytes after gzip. */
const bundled = async (file: string, external: ReadonlyArray<RegExp>): Promise<number> => {
  const result = await build({
    root: here,
    logLevel: "error",
    configFile: false,
    resolve: {
      alias: [{ find: /^@effect-custody\/([^/]+)\/(.+)$/, replacement: `${packages}/$1/dist/$2.js` }],
      conditions: ["module", "import", "default"]
    },
    build: {
      write: false,
      minify: true,
      lib: { entry: Path.join(here, file), formats: ["es"] },
      rollupOptions: { external: [/^node:/, ...external] }
    }
  })
  const outputs = (Array.isArray(result) ? result : [result]) as ReadonlyArray<{
    readonly output: ReadonlyArray<{ readonly type: string; readonly code?: string }>
  }>
  const code = outputs.flatMap(({ output }) => output.map((chunk) => chunk.code ?? "")).join("")
  return gzipSync(code, { level: 9 }).byteLength
}

const whole = await bundled("endpoint.ts", [])
const bare = await bundled("bare.ts", [])
const ours = await bundled("endpoint.ts", [/^effect(\/|$)/, /^@noble\//, /^jsonc-parser$/])
const emulator = measured("emulator.ts")

const base = least("what we stand on")
const lines: ReadonlyArray<readonly [what: string, value: number, bar: number, unit: string]> = [
  ["import of one category, times what it stands on", least("one category") / base, 1.15, ""],
  ["import of sdk and node, times what they stand on", least("sdk and node") / base, 1.4, ""],
  ["bundle with one endpoint and Effect, gzip", whole / 1_000, 75, " kB"],
  ["of it ours, gzip", ours / 1_000, 12, " kB"],
  ["start of an emulator in process", emulator, 5, " ms"]
]
console.log(`a bundle with one request by Effect's own client and schemas, gzip: ${(bare / 1_000).toFixed(1)} kB\n`)
console.log(`| (${base.toFixed(0)} ms to import what we stand on) | measured | bar | |\n| --- | ---: | ---: | --- |`)
for (const [what, value, bar, unit] of lines) {
  const isMissed = value > bar
  console.log(`| ${what} | ${value.toFixed(2)}${unit} | ${bar}${unit} | ${isMissed ? "missed" : ""} |`)
  if (isMissed) process.exitCode = 1
}
