/** Contract files of tests: modules inside the repository, where their imports are found. */
import { randomUUID } from "node:crypto"
import { mkdirSync, writeFileSync } from "node:fs"

// No project of the compiler has this folder, and git ignores it.
const directory = `${import.meta.dirname}/../../../../test/dist/contracts/${randomUUID()}`

let files = 0

/** Writes a module that exports the layer of some adapters. Returns the name of its file. */
export const contractFile = (adapters: string, service = "{}", before = ""): string => {
  mkdirSync(directory, { recursive: true })
  const file = `${directory}/contract${++files}.ts`
  writeFileSync(
    file,
    `import { Adapter, Format } from "@effect-custody/contract"
import { Amount, Assets, Clients, Tokens, Transactions, Wallets } from "@effect-custody/sdk"
import { Schema } from "effect"
import { HttpClientRequest } from "effect/http"
${before}
export default Adapter.layer([${adapters}], ${service})
`
  )
  return file
}

/** The adapters of another service: minor units, seconds, an envelope, offsets, and names of its own. */
export const payments = `${import.meta.dirname}/../../../../test/contracts/payments.adapters.ts`
