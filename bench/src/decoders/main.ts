/**
 * `pnpm bench decoders [--rounds N]`: what it takes to decode transactions with this SDK's decoders, and with Effect's: its
 * interpreter of schemas, and the code that it generates in the process (JIT) or before (AOT). A plain struct of the same
 * fields shows what Effect can do with a codec that refuses what the SDK keeps. Each figure is the best of the rounds,
 * each in a new process.
 */
import * as FastDecoder from "@effect-custody/core/FastDecoder"
import { Transaction } from "@effect-custody/transactions/Transactions"
import * as Schema from "effect/Schema"
import * as Aot from "effect/schema/SchemaAOTCompiler"
import { enable } from "effect/schema/SchemaJITCompiler"
import { execFileSync } from "node:child_process"
import { mkdirSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { parseArgs } from "node:util"
import { jobs } from "../calls/jobs.ts"

const { values } = parseArgs({ options: { rounds: { type: "string", default: "5" }, variant: { type: "string" } } })

const { id, status, ...details } = Transaction.fields
const plain = Schema.Struct({
  id,
  status,
  ...Object.fromEntries(Object.entries(details).map(([name, { schema }]) => [name, Schema.optionalKey(schema)]))
})

type Decode = (value: unknown) => unknown
const effects = (codec: Schema.Top): Decode =>
  Schema.decodeUnknownResult(Schema.Array(codec as Schema.Codec<unknown, unknown>))

/** Writes the generated module where it can import Effect, and installs it. */
const install = async (codec: Schema.Top): Promise<void> => {
  const folder = Path.resolve(import.meta.dirname, "../../node_modules/.cache")
  mkdirSync(folder, { recursive: true })
  const file = Path.join(folder, `decoders-${process.pid}.mjs`)
  writeFileSync(file, Aot.compile([{ ast: codec.ast, operations: ["decode"] }]))
  const { install } = await import(file)
  rmSync(file)
  install([codec.ast])
}

const variants: Readonly<Record<string, () => Promise<Decode> | Decode>> = {
  "this SDK": () => FastDecoder.make(Schema.Array(Transaction)),
  "Effect, interpreted": () => effects(Transaction),
  "Effect, JIT": () => {
    enable(Transaction.ast)
    return effects(Transaction)
  },
  "Effect, AOT": async () => {
    await install(Transaction)
    return effects(Transaction)
  },
  "plain struct, interpreted": () => effects(plain),
  "plain struct, JIT": () => {
    enable(plain.ast)
    return effects(plain)
  },
  "plain struct, AOT": async () => {
    await install(plain)
    return effects(plain)
  }
}

interface Times {
  readonly first: number
  readonly one: number
  readonly hundred: number
}

/** In microseconds: the first list of 100 with the making of its decoder, and a list of 1 and of 100 afterwards. */
const measure = async (variant: string): Promise<Times> => {
  const list: ReadonlyArray<unknown> = JSON.parse(jobs.list.answer).data
  const began = performance.now()
  const decode = await variants[variant]!()
  decode(list)
  const first = (performance.now() - began) * 1_000
  const best = (value: ReadonlyArray<unknown>, times: number) => {
    const rounds = Array.from({ length: 8 }, () => {
      const since = process.cpuUsage()
      for (let time = 0; time < times; time++) decode(value)
      return process.cpuUsage(since).user / times
    })
    return Math.min(...rounds.slice(2))
  }
  return { first, hundred: best(list, 100), one: best(list.slice(0, 1), 5_000) }
}

if (values.variant !== undefined) console.log(JSON.stringify(await measure(values.variant)))
else {
  const found = new Map<string, Array<Times>>()
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const variant of Object.keys(variants)) {
      const output = execFileSync(process.execPath, [import.meta.filename, "--variant", variant], { encoding: "utf8" })
      found.set(variant, [...(found.get(variant) ?? []), JSON.parse(output)])
    }
  }
  console.log(`Node ${process.version}\n`)
  console.log("| | list of 100, µs | list of 1, µs | first list, ms |\n| --- | ---: | ---: | ---: |")
  for (const [variant, times] of found) {
    const best = (key: keyof Times) => Math.min(...times.map((one) => one[key]))
    console.log(
      `| ${variant} | ${best("hundred").toFixed(0)} | ${best("one").toFixed(2)} | ${(best("first") / 1_000).toFixed(1)} |`
    )
  }
}
