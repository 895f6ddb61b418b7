/**
 * The SDK's log lines for the events that a person has to act on. Each line says what to do. A package has the lines of its
 * own events.
 *
 * 1. `reporter` writes the lines of a package; `report` those of a call;
 * 2. `defect` reports a defect of code outside the SDK: a store, a source of API keys, an `HttpClient`, a hook. Such code can
 *    throw any value, even a token. So a log line shows the value's class, never the value;
 * 3. `explain` says what the code of a failed connection means, and `provesUnsent` whether it proves that nothing was sent.
 *
 * @siblings `authentication`, `node` and `ledger` write the lines of their own events.
 */
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type * as LogLevel from "effect/LogLevel"
import { escapeInvisible } from "../values/Text.ts"

/** A log line. It has no token, no key, no input and no answer. */
export interface Line {
  readonly level: LogLevel.Severity
  /** What happened. */
  readonly event: string
  /** What to do. */
  readonly action: string
}

/**
 * Makes the function that writes the lines of a table. The name of a line is its annotation `custody.event`. `details`
 * names the session, the call or the reason.
 */
export const reporter =
  <Name extends string>(lines: Readonly<Record<Name, Line>>) =>
  (name: Name, details: string): Effect.Effect<void> => {
    const { action, event, level } = lines[name]
    const shown = escapeInvisible(details)
    const about = shown.endsWith(".") ? shown : `${shown}.`
    return Effect.logWithLevel(level)(`${event}. ${about} To do: ${action}.`).pipe(
      Effect.annotateLogs("custody.event", name)
    )
  }

/** The lines of calls. */
export const lines = {
  "call.uncertain": {
    level: "Warn",
    event: "A call was interrupted after it may have taken effect, and nobody receives its error",
    action: "look it up before it is sent again; provide `onUncertain` to keep a record of each"
  },
  "call.unconfirmed": {
    level: "Warn",
    event:
      "A read is sent to the sandbox over a wire that the specification does not show, and that nobody has confirmed",
    action: "compare its answer with the service's documentation: custody contract probe; then confirm it in a contract"
  },
  "code.defect": {
    level: "Error",
    event: "Code outside the SDK has thrown",
    action: "fix it; provide `onDefect` to see the cause, which is not logged because it may hold secrets"
  }
} as const satisfies Record<string, Line>

/** Writes a line of a call. */
export const report = reporter(lines)

// Defects of code outside the SDK.

/**
 * Receives the cause of a defect in code that you provide. The cause **may hold secrets**: the SDK logs only what failed
 * and the class of the error, and continues. The default does nothing. The SDK ignores a failure of the receiver.
 *
 * @example
 * ```ts
 * import { onDefect } from "@effect-custody/core"
 * import { Cause, Effect, Layer } from "effect"
 *
 * const debugging = Layer.succeed(onDefect, ({ cause, during }) => Effect.logDebug(during, Cause.pretty(cause)))
 * ```
 *
 * @since 0.1.0
 * @category services
 */
export const onDefect = Context.Reference<
  (defect: {
    /** What failed, such as `the source of API keys failed`. */
    readonly during: string
    readonly cause: Cause.Cause<unknown>
  }) => Effect.Effect<void>
>("@effect-custody/core/onDefect", { defaultValue: () => () => Effect.void })

/** Reads the name of a value's class from its prototype, because the value's own properties can have any content. */
const className = (value: unknown): string => {
  if (value === null || (typeof value !== "object" && typeof value !== "function")) return typeof value
  try {
    const { constructor } = Object.getPrototypeOf(value) as { readonly constructor?: unknown }
    return typeof constructor === "function" && constructor.name !== "" ? constructor.name.slice(0, 64) : "Object"
  } catch {
    return "Object"
  }
}

/**
 * Logs a failure of code outside the SDK with the class of the thrown value, and passes the cause to {@link onDefect}.
 */
export const defect = (during: string, cause: Cause.Cause<unknown>): Effect.Effect<void> =>
  Effect.andThen(
    report(
      "code.defect",
      `${during}: ${Cause.hasInterruptsOnly(cause) ? "interruption" : className(Cause.squash(cause))}`
    ),
    Effect.flatMap(onDefect, (receive) => receive({ during, cause })).pipe(Effect.catchCause(() => Effect.void))
  )

// What the code of a failed connection says.

/**
 * For each code: whether it proves that nothing was sent (`Connect`: only if `connect` has failed, because an open
 * connection can end with the same code), and what it means. Messages append the meaning to the code, which stays the
 * `reason` of the error and the label of the metrics.
 */
const connectionCodes: ReadonlyArray<readonly [code: RegExp, proof: "Always" | "Connect" | "Never", meaning?: string]> =
  [
    // `mayStart` returned `false`: see `Sender`.
    [/^TOO_LATE_TO_SEND$/, "Always"],
    // An established connection is reset, never refused.
    [/^ECONNREFUSED$/, "Always", "nothing listens at the address"],
    [/^UND_ERR_CONNECT_TIMEOUT$/, "Always"],
    [
      /^(?:ENOTFOUND|EAI_(?:AGAIN|FAIL|NODATA|NONAME))$/,
      "Always",
      "the host is not known: see whether its name is right"
    ],
    // The certificate is checked before a request is written.
    [
      /^(?:DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_VERIFY_LEAF_SIGNATURE|UNABLE_TO_GET_ISSUER_CERT(?:_LOCALLY)?)$/,
      "Always",
      "the certificate of the address comes from an unknown authority: the option ca names one to trust"
    ],
    [/^ERR_TLS_CERT_ALTNAME_INVALID$/, "Always", "the certificate of the address is for another host"],
    [/^CERT_(?:HAS_EXPIRED|NOT_YET_VALID)$/, "Always"],
    [/^(?:EHOSTUNREACH|ENETUNREACH|ENETDOWN|EHOSTDOWN|EADDRNOTAVAIL|ETIMEDOUT)$/, "Connect"],
    [
      /^ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG)$/,
      "Never",
      "the address speaks no TLS: see whether its port is right"
    ],
    [/^PROXY_407$/, "Never", "the proxy of the option proxy (HTTPS_PROXY) wants another login"],
    [/^PROXY_\w+$/, "Never", "the proxy of the option proxy (HTTPS_PROXY) opened no connection"],
    [
      /^(?:ECONNRESET|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/,
      "Never",
      "the connection broke before a whole answer"
    ]
  ]

const findCode = (code: string) => connectionCodes.find(([known]) => known.test(code))

/** Appends to a code what it means, if it is known. Returns any other reason unchanged. */
export const explain = (reason: string): string => {
  const meaning = findCode(reason)?.[2]
  return meaning === undefined ? reason : `${reason}, ${meaning}`
}

/** `true` if a code proves that nothing was sent. `syscall` is the call of the operating system that failed, if known. */
export const provesUnsent = (code: string, syscall: unknown): boolean => {
  const proof = findCode(code)?.[1]
  return proof === "Always" || (proof === "Connect" && syscall === "connect")
}
