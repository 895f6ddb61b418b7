/** The type of a payload that a stub returns. */
import type { Amount } from "@effect-custody/core/Amount"
import type * as Lenient from "@effect-custody/core/Lenient"
import type { Unlisted } from "@effect-custody/core/OpenEnum"
import type * as Brand from "effect/Brand"
import type * as DateTime from "effect/DateTime"
import type * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"

/** Object types that stay as they are. */
type Whole = Amount | DateTime.DateTime | Duration.Duration | Redacted.Redacted<any> | Uint8Array

/** A payload as a test writes it, with plain strings for branded ids, and `extra` only where there is one. */
export type Written<A> =
  A extends Brand.Brand<any>
    ? A extends string
      ? string
      : A
    : A extends Unlisted
      ? string & {}
      : A extends Whole
        ? A
        : A extends ReadonlyArray<infer I>
          ? ReadonlyArray<Written<I>>
          : A extends Lenient.Fields
            ? { readonly [K in keyof A as K extends "extra" ? never : K]: Written<A[K]> } & Partial<Lenient.Fields>
            : A extends object
              ? { readonly [K in keyof A]: Written<A[K]> }
              : A
