/** A ready client of an emulator, in process and over a real socket. */
import { TokenStore } from "@effect-custody/authentication"
import { CustodyEmulator, type Options } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody } from "@effect-custody/sdk"
import { Effect, Layer } from "effect"

/** A ready client of the emulator, over the provided `HttpClient`. */
export const client = Layer.unwrap(
  Effect.gen(function* () {
    const { environment, issueApiKey } = yield* CustodyEmulator
    return Custody.layer({ environment, apiKey: yield* issueApiKey() })
  })
).pipe(Layer.provide(Layer.fresh(TokenStore.layerMemory)))

/** Like `CustodyEmulator.layerWith`, but with a server, a socket and Node's own client in between. */
export const overSocketWith = (options: Options) =>
  Layer.orDie(
    Layer.provide(client, NodeCustody.layerHttpClient()).pipe(
      Layer.provideMerge(Layer.fresh(CustodyEmulator.layerServer(options)))
    )
  )

/** Both ways to the same emulator. */
export const ways = [
  { way: "in process", layerWith: (options: Options) => Layer.orDie(CustodyEmulator.layerWith(options)) },
  { way: "over a socket", layerWith: overSocketWith }
]
