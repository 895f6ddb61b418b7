/** What happens in the course of the day without us: people pay, hours pass. Only an emulator can make them. */
import { CustodyEmulator } from "@effect-custody/emulator"
import { Context, Effect, Layer } from "effect"

export class World extends Context.Service<
  World,
  {
    /** The buyer pays an order, on the blockchain that they chose. */
    readonly buyerPays: (orderId: string) => Effect.Effect<void>
    /** A client pays in by a fiat payment link. */
    readonly clientPaysIn: (linkId: string) => Effect.Effect<void>
    /** So many hours that the access token expires. */
    readonly hoursPass: Effect.Effect<void>
  }
>()("example/World") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(CustodyEmulator, ({ expireTokens, payLink, payOrder }) =>
      World.of({
        buyerPays: (orderId) => Effect.orDie(payOrder(orderId)),
        clientPaysIn: (linkId) => Effect.orDie(payLink(linkId)),
        hoursPass: expireTokens
      })
    )
  )
}
