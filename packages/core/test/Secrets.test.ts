/** What the service repeats of a secret. Reads core's internals: nothing else is pure. */
import { assert, describe, it } from "@effect/vitest"
import { random } from "../../../test/support/random.ts"
import * as Secrets from "@effect-custody/core/siblings/Secrets"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** A token of a size, whose every piece of 16 characters stands in it once. */
const token = (size: number): string => {
  const { below } = random(size)
  return Array.from({ length: size }, () => letters[below(letters.length)]).join("")
}

const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)
const inBase64 = (text: string): string => Buffer.from(text).toString("base64")

/** How services, gateways and logs repeat what they were sent. */
const spellings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "in capitals": (secret) => secret.toUpperCase(),
  "in JSON": inJson,
  "in JSON in JSON in JSON": (secret) => inJson(inJson(inJson(secret))),
  "with escaped slashes": (secret) => secret.replaceAll("/", String.raw`\/`),
  "in a URL": encodeURIComponent,
  "in a form": (secret) => new URLSearchParams({ secret }).toString(),
  "in a URL with small letters": (secret) => encodeURIComponent(secret).toLowerCase(),
  "with each character escaped for JSON": (secret) =>
    secret.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`),
  "with each character escaped for a URL": (secret) =>
    secret.replaceAll(/[^]/g, (unit) => `%${unit.charCodeAt(0).toString(16)}`)
}

const secrets: Readonly<Record<string, string>> = {
  "20 characters": token(20),
  "4,096 characters": token(4_096),
  "100,000 characters": token(100_000),
  "a JWT": `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.${token(3_700)}.${token(43)}`,
  base64: `${inBase64(token(30))}+/${inBase64(token(30))}==`,
  "quotes and backslashes": `${token(12)}\\"'/<&>%+= ${token(12)}`,
  repeats: "a".repeat(4_000),
  escapes: `${token(12)}%41%2f\\n${token(12)}`
}

describe("Secrets", () => {
  for (const [kind, secret] of Object.entries(secrets)) {
    it(`a text with a secret of ${kind}, or with any 12 characters of it, is redacted`, () => {
      const redact = Secrets.makeRedact([secret])
      for (const [how, spell] of Object.entries(spellings)) {
        assert.strictEqual(redact(`before ${spell(secret)} after`), Secrets.redacted, how)
        for (let at = 0; at + 12 <= Math.min(secret.length, 90); at++) {
          const piece = secret.slice(at, at + 12)
          // A sign may be spelt in several characters, or in none.
          if (/^[\w-]+$/.test(piece)) assert.strictEqual(redact(`"${spell(piece)}"`), Secrets.redacted, how)
        }
        assert.strictEqual(redact(spell(secret.slice(-20))), Secrets.redacted, how)
      }
    })
  }

  it("a text with fewer characters of a secret, such as the common prefix of keys, is kept", () => {
    const redact = Secrets.makeRedact([`sk_live_${token(40)}`, token(10), "a".repeat(8) + token(50)])
    for (const text of [
      "use sk_live_ keys",
      `sk_live_${token(40).slice(0, 3)}`,
      token(10).slice(0, 9),
      "a".repeat(11)
    ]) {
      assert.strictEqual(redact(text), text)
    }
    assert.strictEqual(redact(`x${token(10)}y`), Secrets.redacted)
  })

  it("a long text of pieces of a long secret is searched in linear time", () => {
    const secret = token(131_072)
    const pieces = Array.from({ length: 100_000 }, (_, at) =>
      secret.slice((at * 5) % 131_000, ((at * 5) % 131_000) + 8)
    )
    assert.isTrue(Secrets.makeRedact([secret])(pieces.join("!")) === pieces.join("!"))
    for (const [secret, text] of [
      ["a".repeat(131_072), `${"a".repeat(7)}?`],
      ["\\".repeat(131_072), "\\"],
      ["a".repeat(131_072), "%"]
    ] as const) {
      const long = text.repeat(100_000)
      assert.isTrue(Secrets.makeRedact([secret])(long) === long, text)
    }
  })

  it("a text without a secret is kept, and a short text is no secret", () => {
    const text = String.raw`{"message":"No wallet \\ \u00e9 &amp; 100%41 %zz","code":"E12345"}`
    assert.strictEqual(Secrets.makeRedact([token(4_096), token(300)])(text), text)
    assert.strictEqual(Secrets.makeRedact(["", "1234567"])("1234567"), "1234567")
    assert.strictEqual(Secrets.makeRedact(["12345678"])("x12345678y"), Secrets.redacted)
    const secret = token(24)
    assert.strictEqual(Secrets.makeRedact([` ${secret}\n`])(`"${secret}"`), Secrets.redacted)
  })

  it("redactValue redacts the keys, texts and numbers of a value, and keeps its shape", () => {
    const secret = "1234567890123"
    const value = { [secret]: [`x${secret}y`, Number(secret), null, true, 12], code: "E00402" }
    assert.deepStrictEqual(Secrets.redactValue(Secrets.makeRedact([secret]), value), {
      "<redacted>": [Secrets.redacted, Secrets.redacted, null, true, 12],
      code: "E00402"
    })
  })

  it("the texts and values of an error are bounded: length, fields, items, depth, control characters", () => {
    const redact = Secrets.makeRedact([])
    assert.strictEqual(Secrets.excerpt(redact, "x".repeat(5_000)).length, 1_025)
    assert.strictEqual(Secrets.excerpt(redact, "\u001b[31mred\r\n\u2028"), "\\u001b[31mred\\u000d\\u000a\\u2028")
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field${at}`, at]))
    assert.strictEqual(Object.keys(Secrets.redactValue(redact, wide) as object).length, 64)
    assert.strictEqual((Secrets.redactValue(redact, Array.from({ length: 500 })) as ReadonlyArray<unknown>).length, 64)
    let deep: unknown = "end"
    for (let level = 0; level < 100_000; level++) deep = [deep]
    assert.isAtMost(JSON.stringify(Secrets.redactValue(redact, deep)).length, 100)
    assert.deepStrictEqual(Object.keys(Secrets.redactValue(redact, JSON.parse('{"__proto__":"x"}')) as object), [
      "__proto__"
    ])
    assert.strictEqual(Secrets.excerpt(redact, "\u0000".repeat(5_000)).length, 1_025)
    assert.strictEqual(Secrets.redactBody(redact, "\u0000".repeat(5_000)).length, 2_000)
  })

  it("redactValue searches no more of a value than an error may repeat, however little of it is left", () => {
    let read = 0
    const redact = (text: string) => {
      read += text.length
      return text
    }
    const long = "x".repeat(8_192)
    const listOf = (item: unknown) => Array.from({ length: 64 }, () => item)
    const named = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`${at}${long}`, long]))
    for (const value of [listOf(listOf(long)), listOf(named), listOf(listOf(listOf(-Number.MAX_VALUE / 3)))]) {
      read = 0
      assert.isAtMost(JSON.stringify(Secrets.redactValue(redact, value)).length, 100_000)
      assert.isAtMost(read, 32_768 + long.length)
    }
  })
})
