/** Checks operations against their wire vectors over one transport. */
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Transport } from "../../support/clients/wireClient.ts"
import { files, type Vector } from "./corpus.ts"
import { run } from "./run.ts"

export const corpus = Object.values(files).flatMap((text) => JSON.parse(text).vectors as ReadonlyArray<Vector>)

/** Adds a test for each operation with the vectors that `isChosen` selects (default: all). */
export const checkOver = (transport: Transport, isChosen: (vector: Vector) => boolean = () => true) =>
  describe(`the wire vectors over ${transport.name}`, () => {
    layer(transport.layer, { excludeTestServices: true })((it) => {
      for (const { operation: name } of CustodyApi.operations) {
        it.effect(`${name} matches each of its vectors`, () =>
          Effect.gen(function* () {
            const vectors = corpus.filter((vector) => vector.operation === name && isChosen(vector))
            assert.isNotEmpty(vectors)
            assert.deepStrictEqual(yield* run(vectors, transport), [])
          })
        )
      }
    })
  })
