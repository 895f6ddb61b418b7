import { ApiError } from "@effect-custody/core"
import * as Operation from "@effect-custody/core/siblings/Operation"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { files } from "./vectors/corpus.ts"
import { checkOver, corpus } from "./vectors/check.ts"
import { operations } from "./vectors/run.ts"
import { http1Transports, http2 } from "../support/clients/wireClient.ts"

const directory = Path.resolve(import.meta.dirname, "vectors")
const textOf = (file: string) => readFileSync(Path.join(directory, file), "utf8")

const vectorsOf = (name: string) => corpus.filter(({ operation }) => operation === name)

/** The codes of the specification, by the tag that both sets meet in. */
const codes: Readonly<Record<string, ReadonlyArray<string>>> = {
  InvalidApiKey: ["E00401"],
  ValidationFailed: ["E00402"],
  InvalidAccessToken: ["E01401", "E40001"],
  InvalidRefreshToken: ["E01402", "E40002"],
  TokenExpired: ["E01403", "E40003"],
  BadRequest: ["E40000"],
  NotFound: [],
  RateLimited: [],
  OtherApiError: []
}

/** An operation's first success and its first error of each kind. */
const first = new Set(
  [...Map.groupBy(corpus, ({ error, operation }) => `${operation} ${error?.tag}`)].map(([, vectors]) => vectors[0]!)
)

const declaredTags = ({ refusals }: Operation.Any): ReadonlyArray<string> => [
  ...ApiError.ofEveryEndpoint,
  ...refusals.map(ApiError.tagOf)
]

describe("the corpus of wire vectors", () => {
  it("the corpus is up to date: `node test/wire/vectors/generate.ts` writes it", () => {
    for (const [file, text] of Object.entries(files)) assert.isTrue(textOf(file) === text, file)
  })

  it("the corpus has a success of each operation, and each declared error under each of its codes", () => {
    for (const { operation: name } of CustodyApi.operations) {
      const vectors = vectorsOf(name)
      assert.isTrue(
        vectors.some((vector) => "result" in vector),
        `${name}: a success`
      )
      for (const tag of declaredTags(operations.get(name)!)) {
        const errors = vectors.flatMap(({ error }) => (error?.tag === tag ? [error] : []))
        assert.isNotEmpty(errors, `${name}: ${tag}`)
        for (const code of codes[tag]!) {
          assert.isTrue(
            errors.some((error) => error["code"] === code),
            `${name}: ${tag} with ${code}`
          )
        }
      }
    }
  })
})

// Every success, and the first error of each kind; `vectors.slow.test.ts` has all, and the other transports.
checkOver(http1Transports[0], (vector) => vector.error === undefined || first.has(vector))
checkOver(http2, (vector) => first.has(vector))
