/** Assertions about types. A wrong assertion does not compile. */

/** `true` if two types are identical, not only assignable to each other. */
export type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false

/** Compiles only for `true`. */
export type Expect<T extends true> = T

export type IsAny<T> = 0 extends 1 & T ? true : false

export type IsUnknown<T> = IsAny<T> extends true ? false : unknown extends T ? true : false

/** The errors of an effect. */
export type ErrorOf<F> = F extends (
  ...args: ReadonlyArray<never>
) => import("effect/Effect").Effect<infer _A, infer E, infer _R>
  ? E
  : never
