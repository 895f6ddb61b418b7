import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { files } from "./vectors/corpus.ts"
import { run } from "./vectors/run.ts"
import { transports } from "../support/clients/wireClient.ts"

const corpus = Object.values(files).flatMap((text) => JSON.parse(text).vectors as Parameters<typeof run>[0])

describe("all wire vectors over undici", () => {
  layer(transports[0].layer, { excludeTestServices: true })((it) => {
    for (const { name } of CustodyApi.operations) {
      it.effect(`${name} does what each of its vectors says`, () =>
        Effect.gen(function* () {
          const vectors = corpus.filter(({ operation }) => operation === name)
          assert.isNotEmpty(vectors)
          assert.deepStrictEqual(yield* run(vectors, transports[0].name), [])
        })
      )
    }
  })
})
