import { Amount, Environment } from "@effect-custody/core"
import { Tokens, Transactions } from "@effect-custody/sdk"
import { assert, describe, layer } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Effect from "effect/Effect"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { clientOf } from "./vectors/run.ts"

/** A plain decimal above zero, in the syntax of a JSON number, of 1 to 78 digits: the most of 256 bits. */
const decimal = Arbitrary.map(
  Arbitrary.all({
    digits: Arbitrary.array(Arbitrary.schema(Schema.Literals("0123456789".split(""))), { minLength: 1, maxLength: 78 }),
    scale: Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 77 })))
  }),
  ({ digits, scale }) => {
    const point = Math.max(digits.length - scale, 1)
    const whole = digits
      .slice(0, point)
      .join("")
      .replace(/^0+(?=\d)/, "")
    const fraction = digits.slice(point).join("")
    const text = fraction === "" ? whole : `${whole}.${fraction}`
    return /[1-9]/.test(text) ? text : `${text}${fraction === "" ? "." : ""}1`
  }
)

/** The amount as it stands in a request, JSON or multipart. */
const amountIn = (body: string): string =>
  /"amount":"([^"]*)"/.exec(body)?.[1] ?? /name="amount"\r\n\r\n(.*?)\r\n/.exec(body)?.[1] ?? "none"

/**
 * An answer that gives back what came, as a string and as a JSON number, above zero and below: in fields that are
 * declared, and in one that is not.
 */
const echo = (body: string): string => {
  const amount = amountIn(body)
  return `{"message":"OK","data":{"id":"t-1","amount":"${amount}","fee":${amount},"supply":-${amount},"other":"${amount}"},"status":201}`
}

const bodyOf = ({ body }: HttpClientRequest.HttpClientRequest): Effect.Effect<string> => {
  if (body._tag === "Uint8Array") return Effect.succeed(new TextDecoder().decode(body.body))
  return body._tag === "Stream"
    ? body.stream.pipe(Stream.decodeText, Stream.mkString, Effect.orDie)
    : Effect.succeed("")
}

/** A client whose requests are answered by a function of their bodies, without a socket. */
const answeredBy = (answer: (body: string) => string) =>
  clientOf(Environment.emulator("http://127.0.0.1/api/integration")).pipe(
    Layer.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        HttpClient.make((request) =>
          Effect.map(bodyOf(request), (body) =>
            HttpClientResponse.fromWeb(request, new Response(answer(body), { status: 201 }))
          )
        )
      )
    )
  )

/** Whether two texts write the same number, as integers of one scale: nothing of the code under test takes part. */
const isSame = (a: string, b: string): boolean => {
  const scaled = (text: string) => BigInt(text.replace(".", "") + "0".repeat(80 - (text.split(".")[1] ?? "").length))
  return scaled(a) === scaled(b)
}

const input = (text: string) => ({
  clientId: "alice",
  assetId: "usdc",
  to: "0x2",
  amount: Amount.fromStringUnsafe(text)
})

const travels = (text: string) =>
  Effect.gen(function* () {
    const sent = yield* Transactions.send(input(text))
    assert.strictEqual(sent.extra["other"], text, "out, as it was written")
    assert.strictEqual(Amount.format(sent.amount!), text, "received as a string")
    assert.isTrue(isSame(Amount.format(sent.fee!), text), `in, from a number: ${Amount.format(sent.fee!)}`)
  })

const travelsInForm = (text: string) =>
  Effect.gen(function* () {
    const minted = yield* Tokens.mint({ tokenId: "tok-1", amount: Amount.fromStringUnsafe(text) })
    assert.strictEqual(minted.extra["other"], text, "sent as a field of a form")
    assert.strictEqual(Amount.format(minted.amount!), text, "received as a string")
    assert.isTrue(isSame(Amount.format(minted.supply!), `-${text}`), "received as a negative number")
  })

describe("amounts through the whole client", () => {
  layer(answeredBy(echo))((it) => {
    it.effect.prop(
      "600 random decimals of up to 78 digits are sent and received unchanged, as strings and as JSON numbers",
      { text: decimal },
      ({ text }) => travels(text),
      { arbitrary: { runs: 600, size: 78, seed: "amounts through the client" } }
    )

    it.effect.prop(
      "300 random decimals are sent as fields of a form and received unchanged",
      { text: decimal },
      ({ text }) => travelsInForm(text),
      { arbitrary: { runs: 300, size: 78, seed: "amounts in forms" } }
    )
  })
})
