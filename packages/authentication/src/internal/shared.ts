/** One service for everybody in this process who wants the same session of the same store. */
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Scope from "effect/Scope"

interface Entry<M, A, E> {
  readonly members: Set<M>
  readonly scope: Scope.Closeable
  readonly service: Deferred.Deferred<A, E>
}

/**
 * Makes a service where there is none for the same store and name, and joins it where there is. It lives until the last
 * member's scope is closed; `leaving` is what a member that is not the last waits for.
 */
export const make = <M, A, E>(options: {
  readonly build: (members: ReadonlySet<M>) => Effect.Effect<A, E, Scope.Scope>
  readonly leaving: (service: A) => Effect.Effect<void>
}) => {
  const entries = new WeakMap<object, Map<string, Entry<M, A, E>>>()

  const leave = (store: object, name: string, entry: Entry<M, A, E>, member: M) =>
    Effect.suspend(() => {
      entry.members.delete(member)
      if (entry.members.size > 0) {
        return Effect.exit(Deferred.await(entry.service)).pipe(
          Effect.flatMap((exit) => (Exit.isSuccess(exit) ? options.leaving(exit.value) : Effect.void))
        )
      }
      if (entries.get(store)?.get(name) === entry) entries.get(store)?.delete(name)
      return Scope.close(entry.scope, Exit.void)
    })

  return Effect.fnUntraced(function* (store: object, name: string, member: M): Effect.fn.Return<A, E, Scope.Scope> {
    const named = entries.get(store) ?? new Map<string, Entry<M, A, E>>()
    entries.set(store, named)
    const there = named.get(name)
    const entry = there ?? {
      members: new Set<M>(),
      scope: Scope.makeUnsafe(),
      service: Deferred.makeUnsafe<A, E>()
    }
    entry.members.add(member)
    yield* Effect.addFinalizer(() => leave(store, name, entry, member))
    if (there === undefined) {
      named.set(name, entry)
      // On a fiber of its own: whoever came first may go away before it is made.
      yield* Effect.interruptible(options.build(entry.members)).pipe(
        Scope.provide(entry.scope),
        Effect.onExit((exit) => {
          if (Exit.isFailure(exit)) named.delete(name)
          return Deferred.done(entry.service, exit)
        }),
        Effect.forkIn(entry.scope, { uninterruptible: true })
      )
    }
    return yield* Deferred.await(entry.service)
  })
}
