/**
 * What the packages weigh, as they are built (`pnpm build` first): the time to import them; the size of a bundle with one endpoint; and the start of an emulator.
 *
 * `node src/weight/main.ts [--rounds N]`
 */
import { execFileSync } from "node:child_process"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "vite"
import { builtFile } from "./builtFile.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "15" } } })
const here = import.meta.dirname

/** A new process, for the built packages. Gives the number that it prints. */
const measured = (file: string, ...args: ReadonlyArray<string>): number =>
  Number(
    execFileSync(process.execPath, ["--import", Path.join(here, "built.ts"), Path.join(here, file), ...args], {
      encoding: "utf8"
    })
  )

/** The bundle of a program, in the form that its start loads. */
const bundle = async (file: string, outside: ReadonlyArray<RegExp>): Promise<string> => {
  const result = await build({
    root: here,
    logLevel: "error",
    configFile: false,
    plugins: [{ name: "built", enforce: "pre", resolveId: builtFile }],
    resolve: { conditions: ["module", "import", "default"] },
    build: {
      write: false,
      modulePreload: false,
      rollupOptions: { input: Path.join(here, file), external: [/^node:/, ...outside] }
    }
  })
  const outputs = (Array.isArray(result) ? result : [result]) as ReadonlyArray<{
    readonly output: ReadonlyArray<{ readonly isEntry?: boolean; readonly code?: string }>
  }>
  return outputs.flatMap(({ output }) => output.filter(({ isEntry }) => isEntry).map(({ code }) => code)).join("")
}

const effect = /^effect(\/|$)/

const baseline = ["effect/http", "effect/Schema", "undici"]
const imports = {
  "what we stand on": [],
  "one category": ["@effect-custody/vaults"],
  "sdk and node": ["@effect-custody/sdk", "@effect-custody/node"]
} as const
type Name = keyof typeof imports

const rounds = Array.from({ length: Number(values.rounds) }, () =>
  Object.fromEntries(
    Object.entries(imports).map(
      ([name, specifiers]) => [name, measured("import.ts", ...baseline, ...specifiers)] as const
    )
  )
)
const least = (name: Name): number => Math.min(...rounds.map((round) => round[name]!))

/** In bytes after gzip. */
const sizeOf = async (file: string, outside: ReadonlyArray<RegExp>): Promise<number> =>
  gzipSync(await bundle(file, outside), { level: 9 }).byteLength

const whole = await sizeOf("endpoint.ts", [])
const bare = await sizeOf("bare.ts", [])
const ours = await sizeOf("endpoint.ts", [effect, /^@noble\//, /^jsonc-parser$/])
const emulator = measured("emulator.ts")

const base = least("what we stand on")
const times = (name: Name): number => least(name) / base
const lines: ReadonlyArray<readonly [what: string, value: number, bar: number, unit: string]> = [
  ["import of one category, times what it stands on", times("one category"), 1.1, ""],
  ["import of sdk and node, times what they stand on", times("sdk and node"), 1.3, ""],
  ["bundle with one endpoint and Effect, gzip", whole / 1_000, 92, " kB"],
  ["of it ours, gzip", ours / 1_000, 38, " kB"],
  ["start of an emulator in process", emulator, 5, " ms"]
]
console.log(`a bundle with one request by Effect's own client and schemas, gzip: ${(bare / 1_000).toFixed(1)} kB\n`)
console.log(`| (${base.toFixed(0)} ms to import what we stand on) | measured | bar | |\n| --- | ---: | ---: | --- |`)
for (const [what, value, bar, unit] of lines) {
  const isMissed = value > bar
  console.log(`| ${what} | ${value.toFixed(2)}${unit} | ${bar}${unit} | ${isMissed ? "missed" : ""} |`)
  if (isMissed) process.exitCode = 1
}
