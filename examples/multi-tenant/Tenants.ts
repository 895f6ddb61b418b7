/** The clients of many organizations in one process: a session for each, over one store and one pool of connections. */
import { Custody, type CustodyClient, type TokenService } from "@effect-custody/sdk"
import { Context, Effect, Layer, type LayerMap, Schema } from "effect"

/** How each organization's service is reached, by key. In a program of yours, a table. */
export type Directory = Readonly<Record<string, Custody.Options>>

export class NoSuchTenant extends Schema.TaggedError<NoSuchTenant>()("NoSuchTenant", { key: Schema.String }) {
  override get message(): string {
    return `There is no organization "${this.key}"`
  }
}

export class Tenants extends Context.Service<
  Tenants,
  {
    /** Runs work as an organization, whose client is created on first use. */
    readonly as: (
      key: string
    ) => <A, E, R>(
      work: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | Custody.LayerError | NoSuchTenant, Exclude<R, CustodyClient | TokenService>>
  }
>()("example/Tenants") {
  static readonly layer = (directory: Directory) =>
    Layer.effect(
      this,
      Effect.gen(function* () {
        // A client that nobody uses for ten minutes is closed: the sessions in memory are those in use.
        const clients: LayerMap.LayerMap<string, CustodyClient | TokenService, Custody.LayerError> =
          yield* Custody.makeLayerMap((key: string) => directory[key]!, { idleTimeToLive: "10 minutes" })
        return Tenants.of({
          as: (key) => (work) =>
            Object.hasOwn(directory, key)
              ? Effect.provide(work, clients.get(key))
              : Effect.fail(new NoSuchTenant({ key }))
        })
      })
    )
}
