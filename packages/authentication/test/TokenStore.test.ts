import * as RowStore from "@effect-custody/authentication/RowStore"
import { type Row, TokenStore } from "@effect-custody/authentication/TokenStore"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { tokenStoreConformance } from "../../../test/support/worlds/tokenStoreConformance.ts"

tokenStoreConformance("memory", Effect.succeed({ store: () => TokenStore.layerMemory }), { outlives: false })

tokenStoreConformance(
  "rows of one's own",
  Effect.sync(() => {
    const rows = new Map<string, Row>()
    return {
      store: (options) =>
        Layer.effect(
          TokenStore,
          RowStore.make(
            {
              load: (identity) => Effect.sync(() => Option.fromNullishOr(rows.get(identity))),
              compareAndSwap: (identity, expectedVersion, next) =>
                Effect.sync(() => {
                  if ((rows.get(identity)?.version ?? 0) !== expectedVersion) return false
                  rows.set(identity, next)
                  return true
                })
            },
            options
          )
        ),
      outside: {
        bytes: Effect.sync(() => JSON.stringify([...rows])),
        row: (identity) => Effect.sync(() => rows.get(identity)!),
        put: (identity, row) => Effect.sync(() => rows.set(identity, row))
      }
    }
  }),
  { outlives: true }
)
