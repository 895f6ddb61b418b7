/** The error union of each specified endpoint, exactly, and what `catchCode` takes out of one. */
import { Authentication } from "@effect-custody/authentication"
import {
  type BadRequest,
  catchCode,
  type CustodyClient,
  type InvalidAccessToken,
  type InvalidApiKey,
  type InvalidRefreshToken,
  type NoSession,
  type NotFound,
  type NotSent,
  type OutcomeUnknown,
  type RateLimited,
  type RefreshUnavailable,
  type RequestInvalid,
  type SessionAmbiguous,
  type SessionLost,
  type SessionOfAnotherEnvironment,
  type StoredSessionInvalid,
  type TokenExpired,
  type TokenStoreError,
  type TransportError,
  type UnconfirmedEndpoint,
  type UnexpectedResponse,
  type UnknownApiError,
  type ValidationFailed
} from "@effect-custody/core"
import { Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import type { Redacted } from "effect/Redacted"
import type { Equal, ErrorOf, Expect, IsAny, IsUnknown } from "../../support/types.ts"

type GenerateTokens = ErrorOf<typeof Authentication.generateTokens>
type RefreshToken = ErrorOf<typeof Authentication.refreshToken>
type Details = ErrorOf<typeof Vaults.details>

/** What any endpoint can answer with. */
type Common =
  | InvalidAccessToken
  | InvalidRefreshToken
  | TokenExpired
  | ValidationFailed
  | BadRequest
  | RateLimited
  | UnknownApiError

export type Unions = [
  Expect<Equal<GenerateTokens, InvalidApiKey | Common | RequestInvalid | NotSent | OutcomeUnknown>>,
  Expect<Equal<RefreshToken, Common | RequestInvalid | NotSent | OutcomeUnknown>>,
  Expect<
    Equal<
      Details,
      | Common
      | TransportError
      | UnexpectedResponse
      | NoSession
      | SessionLost
      | SessionAmbiguous
      | RefreshUnavailable
      | StoredSessionInvalid
      | SessionOfAnotherEnvironment
      | TokenStoreError
    >
  >
]

/** What a specified endpoint cannot fail with, in so many words. */
export type Absences = [
  Expect<Equal<Extract<GenerateTokens | RefreshToken | Details, UnconfirmedEndpoint | NotFound>, never>>,
  Expect<Equal<Extract<Details, RequestInvalid | OutcomeUnknown | InvalidApiKey>, never>>,
  Expect<Equal<Extract<RefreshToken | Details, InvalidApiKey>, never>>,
  Expect<Equal<Extract<GenerateTokens | RefreshToken, NoSession>, never>>
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
  Expect<Equal<ValidationFailed["fields"], Readonly<Record<string, ReadonlyArray<string>>>>>
]

/** Every endpoint needs the client and nothing else. */
export type Needs = [
  Expect<Equal<Effect.Services<ReturnType<typeof Authentication.generateTokens>>, CustodyClient>>,
  Expect<Equal<Effect.Services<ReturnType<typeof Vaults.details>>, CustodyClient>>
]

/** Codes are literals, one class per meaning. */
export type Codes = [
  Expect<Equal<InvalidApiKey["code"], "E00401">>,
  Expect<Equal<InvalidAccessToken["code"], "E01401" | "E40001" | undefined>>,
  Expect<Equal<InvalidRefreshToken["code"], "E01402" | "E40002">>,
  Expect<Equal<TokenExpired["code"], "E01403" | "E40003" | undefined>>,
  Expect<Equal<BadRequest["code"], "E40000">>,
  Expect<Equal<UnknownApiError["code"], string | undefined>>
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
  Expect<Equal<Exclude<Remaining<typeof oneCode>, { _tag: "TokenExpired" }>, Exclude<Details, TokenExpired>>>
]

/** Both codes of a meaning: the class is gone, unless its status says the same without a code. */
export const bothCodes = Vaults.details().pipe(catchCode(["E01402", "E40002"], () => Effect.void))
export type BothCodes = Expect<Equal<Remaining<typeof bothCodes>, Exclude<Details, InvalidRefreshToken>>>

/** The only code of a class. */
export const onlyCode = Vaults.details().pipe(catchCode("E40000", () => Effect.void))
export type OnlyCode = Expect<Equal<Remaining<typeof onlyCode>, Exclude<Details, BadRequest>>>

/** Codes of several classes, and one that no class knows: those whose code is any string stay, for they may hold another. */
export const severalCodes = Vaults.details().pipe(
  catchCode(["E40000", "E01402", "E40002", "E50001"], (error) => Effect.succeed(error.code))
)
export type SeveralCodes = [
  Expect<Equal<Remaining<typeof severalCodes>, Exclude<Details, BadRequest | InvalidRefreshToken>>>,
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

/** Data first, with a handler that fails itself. */
declare const apiKey: Redacted
export const dataFirst = catchCode(Authentication.generateTokens({ apiKey }), "E00401", (error) =>
  Effect.fail({ _tag: "KeyUsedUp" as const, because: error.message })
)
export type DataFirst = Expect<
  Equal<Remaining<typeof dataFirst>, Exclude<GenerateTokens, InvalidApiKey> | { _tag: "KeyUsedUp"; because: string }>
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
