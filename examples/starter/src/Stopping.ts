/** The end of this process: no new payout from then on, and `grace` for the answers to what is under way. */
import { Context, Deferred, type Duration, Effect, Layer } from "effect"

export class Stopping extends Context.Service<
  Stopping,
  {
    readonly hasBegun: Effect.Effect<boolean>
    readonly begin: Effect.Effect<void>
    /** Ends when an answer can wait no longer. */
    readonly graceEnds: Effect.Effect<void>
  }
>()("payouts/Stopping") {
  static readonly layer = (grace: Duration.Input) =>
    Layer.effect(
      this,
      Effect.map(Deferred.make<void>(), (begun) => ({
        hasBegun: Deferred.isDone(begun),
        begin: Effect.asVoid(Deferred.succeed(begun, undefined)),
        graceEnds: Effect.andThen(Deferred.await(begun), Effect.sleep(grace))
      }))
    )

  /** Begins the end as soon as this layer is closed: it has to be built after everything that serves. */
  static readonly layerBegins = Layer.effectDiscard(
    Effect.flatMap(this, ({ begin }) => Effect.addFinalizer(() => begin))
  )
}
