/**
 * Adapters with mistakes: the text of right adapters with other words in some places, as a file that the compiler, the
 * command and the tests read.
 */
import { Adapter } from "@effect-custody/contract"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { UrlParams } from "effect/http"
import type { HttpClientRequest } from "effect/http"
import * as Result from "effect/Result"
import { randomUUID } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import type { Subject } from "./subject.ts"

/** Texts of the right adapters, and what the mistaken ones have in each place of them. */
export type Changes = ReadonlyArray<readonly [right: string, wrong: string]>

export interface Mutation {
  readonly name: string
  readonly subject: Subject
  readonly changes: Changes
}

/** The adapters of a service, and what is said of all of them. */
export interface Contract {
  readonly adapters: ReadonlyArray<Adapter.Adapter>
  readonly service: Adapter.Service
}

// Inside the repository, where the packages are found, and ignored by git.
const directory = `${import.meta.dirname}/../dist/mistaken/${randomUUID()}`

let files = 0

/** Writes the mistaken adapters. Throws for a place that the right ones do not have. Returns the name of the file. */
export const write = ({ changes, name, subject }: Mutation): string => {
  const text = changes.reduce(
    (before, [right, wrong]) => {
      if (!before.includes(right)) throw new Error(`${name}: the adapters have no ${right}`)
      return before.replaceAll(right, wrong)
    },
    readFileSync(subject.file, "utf8").replaceAll('from "./', 'from "../../../contracts/')
  )
  mkdirSync(directory, { recursive: true })
  const file = `${directory}/adapters${++files}.ts`
  writeFileSync(file, text)
  return file
}

/** Writes a module that exports the layer of a file's adapters with examples in which their author was mistaken, too. */
export const writeAgreeing = (file: string): string => {
  const agreeingFile = file.replace(/\.ts$/, ".agreeing.ts")
  writeFileSync(
    agreeingFile,
    `import { Adapter } from "@effect-custody/contract"
import { agreeing } from "../../../contracts/mutated.ts"
import * as contract from "./${file.split("/").at(-1)}"
export default Adapter.layer(agreeing(contract), contract.service)
`
  )
  return agreeingFile
}

export const load = async (file: string): Promise<Contract> => (await import(file)) as Contract

const exampleRequest = (request: HttpClientRequest.HttpClientRequest) => {
  const query = UrlParams.toString(request.urlParams)
  const { body, headers, method, url } = request
  return {
    line: `${method} ${url}${query === "" ? "" : `?${query}`}`,
    headers: { ...headers },
    body: body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : undefined
  }
}

/**
 * The adapters with examples that agree with them: as if their author had written what the adapters make, instead of what
 * the document shows. An example that the adapter refuses stays.
 */
export const agreeing = ({ adapters, service }: Contract): ReadonlyArray<Adapter.Adapter> =>
  adapters.map((adapter) => {
    const wire = adapter.wire(service)
    const codec = Operation.codec(adapter.operation)
    return {
      ...adapter,
      examples: adapter.examples.map((example) => {
        const made = Result.gen(function* () {
          const input = yield* codec.prepare(example.input)
          const request = yield* wire.request(input)
          const status = example.status ?? adapter.operation.status
          const success = yield* wire.answer({ status, body: example.example }, input)!
          const result = (yield* codec.decode(success, wire.place)) as { readonly items?: unknown }
          return {
            ...example,
            request: exampleRequest(request),
            record: adapter.operation.isList ? result.items : result,
            ...(success.nextCursor === undefined ? {} : { next: success.nextCursor })
          }
        })
        return Result.getOrElse(made as Result.Result<typeof example, unknown>, () => example)
      })
    }
  })

export const layerOf = (contract: Contract) => Adapter.layer(agreeing(contract), contract.service)
