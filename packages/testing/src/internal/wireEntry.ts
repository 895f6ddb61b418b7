/**
 * The entries of the wire log, one for each exchange.
 *
 * @since 0.1.0
 */
import type * as DateTime from "effect/DateTime"

/**
 * The answer of an exchange, or the reason for its absence.
 *
 * @since 0.1.0
 * @category models
 */
export type Answer =
  /** No answer yet. */
  | { readonly _tag: "Pending" }
  | {
      readonly _tag: "Answered"
      readonly at: DateTime.Utc
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      /** The part of the body that was read. `undefined` if it was not read. */
      readonly body: string | undefined
      /** The reason if the body is incomplete: it broke off, or its reader stopped. */
      readonly brokenOff?: string
    }
  /** No answer, and the transport's reason. */
  | { readonly _tag: "NotAnswered"; readonly at: DateTime.Utc; readonly reason: string }
  /** The caller was interrupted, for example by a timeout. */
  | { readonly _tag: "GivenUp"; readonly at: DateTime.Utc }

/**
 * One exchange. Labels such as `<redacted accessToken 1>` replace secrets: equal secrets have equal numbers.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry {
  /** From 1, in the order of sending. */
  readonly sequence: number
  readonly sentAt: DateTime.Utc
  /** Such as `transactions.send`. Absent if no operation matches the path. */
  readonly operation?: string
  readonly method: string
  /** Without host and query. */
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  /** By name, in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The text of the body, or an empty string. For an upload: its type. */
  readonly body: string
  readonly answer: Answer
}
