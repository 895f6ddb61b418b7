/** What adapters can say of services whose documents are public. `README.md` shows it as a table. */
import { assert, describe, it } from "@effect/vitest"
import { Adapter } from "@effect-custody/contract"
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import cobo from "./cobo.adapters.ts"
import coinbase from "./coinbase.adapters.ts"
import fireblocks from "./fireblocks.adapters.ts"
import modernTreasury from "./modernTreasury.adapters.ts"
import turnkey from "./turnkey.adapters.ts"

const folder = import.meta.dirname
const page = readFileSync(Path.join(folder, "README.md"), "utf8")

/** The lines of a file that are the adapters: neither imports nor examples. */
const linesOf = (file: string): number => {
  const text = readFileSync(Path.join(folder, `${file}.adapters.ts`), "utf8")
  const [adapters = ""] = text.slice(text.lastIndexOf("\nimport ")).split("// Examples, by hand.")
  return adapters
    .split("\n")
    .slice(2)
    .filter((line) => line.trim() !== "").length
}

const operations = ["list", "get", "send", "status"].map((name) => `transactions.${name}`)

describe.each([
  ["Fireblocks", "fireblocks", fireblocks, operations],
  ["Coinbase Developer Platform", "coinbase", coinbase, operations],
  ["Cobo WaaS 2", "cobo", cobo, operations],
  ["Turnkey", "turnkey", turnkey, ["transactions.list"]],
  ["Modern Treasury", "modernTreasury", modernTreasury, operations]
])("the adapters of %s", (name, file, layer, said) => {
  it.effect("hold for their examples, and are as many and as long as the page says", () =>
    Effect.gen(function* () {
      const contract = yield* Adapter.contract
      assert.sameMembers(
        contract!.adapters.map(({ operation }) => operation.operation),
        said
      )
      assert.match(page, new RegExp(`\\[${name}\\]\\([^)]*\\) \\| ${said.length} of 4 in ${linesOf(file)} lines`))
    }).pipe(Effect.provide(layer))
  )
})
