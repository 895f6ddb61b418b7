/** Assertions about types: wrong ones do not compile. */

/** Whether two types are the same: not only assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only for what is true. */
export type Expect<T extends true> = T

export type IsAny<T> = 0 extends 1 & T ? true : false

export type IsUnknown<T> = IsAny<T> extends true ? false : unknown extends T ? true : false

/** What an effect can fail with. */
export type ErrorOf<F> = F extends (
  ...args: ReadonlyArray<never>
) => import("effect/Effect").Effect<infer _A, infer E, infer _R>
  ? E
  : never
