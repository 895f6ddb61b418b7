/** The error union of each specified endpoint, exactly, and what `catchCode` takes out of one. */
import { Authentication } from "@effect-custody/authentication"
import { catchCode, catchRefused, catchSession, type CustodyClient } from "@effect-custody/core"
import type * as Api from "@effect-custody/core/ApiError"
import type * as Sdk from "@effect-custody/core/SdkError"
import type * as Session from "@effect-custody/core/SessionError"
import { Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import type { Redacted } from "effect/Redacted"
import type { Equal, ErrorOf, Expect, IsAny, IsUnknown } from "../../../test/support/types.ts"

type GenerateTokens = ErrorOf<typeof Authentication.generateTokens>
type RefreshToken = ErrorOf<typeof Authentication.refreshToken>
type Details = ErrorOf<typeof Vaults.details>

/** What any endpoint can answer with. */
type Common =
  | Api.InvalidAccessToken
  | Api.InvalidRefreshToken
  | Api.TokenExpired
  | Api.ValidationFailed
  | Api.BadRequest
  | Api.RateLimited
  | Api.OtherApiError

type Unsent = Sdk.InputInvalid | Sdk.NotSent | Sdk.OutcomeUnknown

export type Unions = [
  Expect<Equal<Api.AnswerError, Common>>,
  Expect<Equal<GenerateTokens, Api.InvalidApiKey | Common | Unsent>>,
  Expect<Equal<RefreshToken, Common | Unsent>>,
  Expect<Equal<Details, Common | Sdk.TransportError | Sdk.UnexpectedResponse | Session.SessionError>>
]

/** Nothing is `any` or `unknown`: not an error, nor a field of one, but for the body's own `errors`. */
type Fields = {
  [Tag in Details["_tag"]]: {
    [K in Exclude<keyof Extract<Details, { _tag: Tag }>, "cause">]: Extract<Details, { _tag: Tag }>[K]
  }
}
type Loose = {
  [Tag in keyof Fields]: {
    [K in keyof Fields[Tag]]: IsAny<Fields[Tag][K]> extends true
      ? K
      : IsUnknown<Fields[Tag][K]> extends true
        ? K
        : never
  }[keyof Fields[Tag]]
}[keyof Fields]
export type Definite = [
  Expect<Equal<Loose, never>>,
  Expect<Equal<IsAny<GenerateTokens | RefreshToken | Details>, false>>,
  Expect<Equal<IsUnknown<GenerateTokens | RefreshToken | Details>, false>>,
  Expect<Equal<Api.ValidationFailed["fields"], Readonly<Record<string, ReadonlyArray<string>>>>>
]

/** Every endpoint needs the client and nothing else. */
export type Needs = [
  Expect<Equal<Effect.Services<ReturnType<typeof Authentication.generateTokens>>, CustodyClient>>,
  Expect<Equal<Effect.Services<ReturnType<typeof Vaults.details>>, CustodyClient>>
]

/** Codes are literals, one class per meaning. */
export type Codes = [
  Expect<Equal<Api.InvalidApiKey["code"], "E00401">>,
  Expect<Equal<Api.ValidationFailed["code"], "E00402" | undefined>>,
  Expect<Equal<Api.InvalidAccessToken["code"], "E01401" | "E40001" | undefined>>,
  Expect<Equal<Api.InvalidRefreshToken["code"], "E01402" | "E40002">>,
  Expect<Equal<Api.TokenExpired["code"], "E01403" | "E40003" | undefined>>,
  Expect<Equal<Api.BadRequest["code"], "E40000">>,
  Expect<Equal<Api.OtherApiError["code"], string | undefined>>
]

type Remaining<F> = F extends Effect.Effect<infer _A, infer E, infer _R> ? E : never

/** In a pipe: one of two codes is gone, and the rest of the union is as it was. */
export const oneCode = Vaults.details().pipe(
  catchCode("E40003", (error) => {
    const code: "E40003" = error.code
    return Effect.succeed(code)
  })
)
export type OneCode = [
  Expect<Equal<Extract<Remaining<typeof oneCode>, { _tag: "TokenExpired" }>["code"], "E01403" | undefined>>,
  Expect<Equal<Exclude<Remaining<typeof oneCode>, { _tag: "TokenExpired" }>, Exclude<Details, Api.TokenExpired>>>
]

/** Codes of several classes, and one that no class knows: those whose code is any string stay, for they may hold another. */
export const severalCodes = Vaults.details().pipe(
  catchCode(["E40000", "E01402", "E40002", "E50001"], (error) => Effect.succeed(error.code))
)
export type SeveralCodes = [
  Expect<Equal<Remaining<typeof severalCodes>, Exclude<Details, Api.BadRequest | Api.InvalidRefreshToken>>>,
  Expect<
    Equal<
      Exclude<Effect.Success<typeof severalCodes>, Effect.Success<ReturnType<typeof Vaults.details>>>,
      "E40000" | "E01402" | "E40002" | "E50001"
    >
  >
]

/** A code that only an open class can hold takes nothing away. */
export const unknownCode = Vaults.details().pipe(catchCode("E50001", (error) => Effect.succeed(error.code)))
export type UnknownCode = Expect<Equal<Remaining<typeof unknownCode>, Details>>

/** A code of the specification has one class. */
export const oneClass = Vaults.details().pipe(
  catchCode(["E01402", "E40002"], (error) => {
    const refreshToken: Api.InvalidRefreshToken = error
    return Effect.succeed(refreshToken)
  })
)
export const openClass = Vaults.details().pipe(
  catchCode("E00402", (error) => {
    const validation: Api.ValidationFailed & { readonly code: "E00402" } = error
    return Effect.succeed(validation.fields)
  })
)

/** The groups leave the union as a whole. */
export const noSession = Vaults.details().pipe(catchSession((error) => Effect.succeed(error)))
export const notRefused = Vaults.details().pipe(catchRefused((error) => Effect.succeed(error)))
export const groupFirst = catchSession(Vaults.details(), (error) => Effect.fail({ _tag: "Down" as const, error }))
type Vault = Effect.Success<ReturnType<typeof Vaults.details>>
export type Groups = [
  Expect<Equal<Remaining<typeof noSession>, Exclude<Details, Session.SessionError>>>,
  Expect<Equal<Exclude<Effect.Success<typeof noSession>, Vault>, Session.SessionError>>,
  Expect<Equal<Remaining<typeof notRefused>, Sdk.TransportError | Sdk.UnexpectedResponse | Session.SessionError>>,
  Expect<Equal<Exclude<Effect.Success<typeof notRefused>, Vault>, Api.AnswerError>>,
  Expect<
    Equal<
      Remaining<typeof groupFirst>,
      Exclude<Details, Session.SessionError> | { _tag: "Down"; error: Session.SessionError }
    >
  >
]

/** Data first, with a handler that fails itself. */
declare const apiKey: Redacted
export const dataFirst = catchCode(Authentication.generateTokens({ apiKey }), "E00401", (error) =>
  Effect.fail({ _tag: "KeyUsedUp" as const, because: error.message })
)
export type DataFirst = Expect<
  Equal<
    Remaining<typeof dataFirst>,
    Exclude<GenerateTokens, Api.InvalidApiKey> | { _tag: "KeyUsedUp"; because: string }
  >
>

/** What an endpoint takes. */
export type Inputs = [
  Expect<Equal<Parameters<typeof Authentication.generateTokens>, [input: { readonly apiKey: Redacted }]>>,
  Expect<Equal<Parameters<typeof Authentication.refreshToken>, [input: { readonly refreshToken: Redacted }]>>,
  Expect<Equal<Parameters<typeof Vaults.details>, []>>
]

// @ts-expect-error A secret is `Redacted` from the first moment.
export const bareKey = Authentication.generateTokens({ apiKey: "key" })

// @ts-expect-error There is nothing to say.
export const tooMuch = Vaults.details({})
