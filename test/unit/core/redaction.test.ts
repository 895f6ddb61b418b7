/** What the service repeats of a secret, in every spelling, size and amount. Reads core's internals: nothing else is pure. */
import { assert, describe, it } from "@effect/vitest"
import { inspect } from "node:util"
import { random } from "../../support/random.ts"
import { bodyIn, textIn, valueIn } from "../../../packages/core/src/internal/answerExcerpt.ts"
import * as Canonical from "../../../packages/core/src/internal/canonicalText.ts"
import * as Redaction from "../../../packages/core/src/internal/redaction.ts"

const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"

/** A token of a size, whose every piece of 16 characters stands in it once. */
const token = (size: number): string => {
  const { below } = random(size)
  return Array.from({ length: size }, () => letters[below(letters.length)]).join("")
}

/** Every text of so many of these pairs, which a polynomial hash with the base 31 cannot tell apart. */
const colliding = (pairs: number): string => {
  let texts = [""]
  for (let at = 0; at < pairs; at++) texts = texts.flatMap((text) => ["c@", "b_", "a~"].map((pair) => text + pair))
  return texts.join("")
}

const percent = (text: string): string =>
  Array.from(new TextEncoder().encode(text), (byte) => `%${byte.toString(16).padStart(2, "0").toUpperCase()}`).join("")
const unicode = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `\\u${text.charCodeAt(at).toString(16).padStart(4, "0")}`).join("")
const decimal = (text: string): string =>
  Array.from({ length: text.length }, (_, at) => `&#${text.charCodeAt(at)};`).join("")
const named = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll("/", "&sol;")
    .replaceAll("=", "&equals;")
const inJson = (text: string): string => JSON.stringify(text).slice(1, -1)

const spellings: Readonly<Record<string, (secret: string) => string>> = {
  plain: (secret) => secret,
  "in capitals": (secret) => secret.toUpperCase(),
  "in JSON": inJson,
  "in JSON in JSON in JSON": (secret) => inJson(inJson(inJson(secret))),
  "in JSON by numbers": unicode,
  "in JSON by numbers in JSON": (secret) => inJson(unicode(secret)),
  "with escaped slashes": (secret) => secret.replaceAll("/", String.raw`\/`),
  "in a URL": encodeURIComponent,
  "in a URL, every character": percent,
  "in a URL in a URL": (secret) => encodeURIComponent(percent(secret)),
  "in HTML by numbers": decimal,
  "in HTML by names": named,
  "in HTML in HTML": (secret) => decimal(secret).replaceAll("&", "&amp;"),
  "in HTML in JSON": (secret) => inJson(named(secret)),
  "in HTML by numbers of characters": (secret) =>
    Array.from(secret, (character) => `&#${character.codePointAt(0)};`).join(""),
  "in UTF-8 that is read as Latin-1": (secret) => Buffer.from(secret).toString("latin1"),
  "in hexadecimal": (secret) => Buffer.from(secret).toString("hex"),
  "in base64": (secret) => Buffer.from(secret).toString("base64"),
  "in base64 for URLs": (secret) => Buffer.from(secret).toString("base64url"),
  "in base64 behind one character": (secret) => Buffer.from(`:${secret}`).toString("base64"),
  "in base64 behind two characters": (secret) => Buffer.from(`a:${secret}`).toString("base64"),
  "its beginning": (secret) => secret.slice(0, 16),
  "its end": (secret) => secret.slice(-16),
  "its middle": (secret) => secret.slice(Math.floor(secret.length / 2) - 8, Math.floor(secret.length / 2) + 8)
}

/** Each character of ASCII by itself. Others are left: these spellings have no other form for them than UTF-8. */
const each =
  (spell: (code: number) => string) =>
  (secret: string): string =>
    Array.from(secret, (character) => (character < "\u0080" ? spell(character.charCodeAt(0)) : character)).join("")

const hexOf = (code: number): string => code.toString(16).padStart(2, "0")
const byteByByte = (spell: (byte: number) => string) => (secret: string) =>
  Array.from(new TextEncoder().encode(secret), spell)

/** What logs and other languages print. */
const printed: Readonly<Record<string, (secret: string) => string>> = {
  "in HTML by numbers with zeros": each((code) => `&#${String(code).padStart(30, "0")};`),
  "in HTML by hexadecimal numbers with zeros": each((code) => `&#x${hexOf(code).padStart(30, "0")};`),
  "in HTML without semicolons": each((code) => `&#${code}`),
  "in HTML by hexadecimal numbers without semicolons": each((code) => `&#X${hexOf(code)}`),
  "in HTML by numbers in a URL": (secret) => encodeURIComponent(decimal(secret)),
  "in HTML by numbers in a URL, every character": (secret) => percent(decimal(secret)),
  "in JavaScript": each((code) => `\\x${hexOf(code)}`),
  "in JavaScript, only its signs": (secret) =>
    secret.replaceAll(
      /[^a-z0-9]/gi,
      each((code) => `\\x${hexOf(code)}`)
    ),
  "in JavaScript in JSON": (secret) => inJson(each((code) => `\\x${hexOf(code)}`)(secret)),
  "in JavaScript with braces": each((code) => `\\u{${code.toString(16)}}`),
  "in hexadecimal with blanks": (secret) => byteByByte(hexOf)(secret).join(" "),
  "in hexadecimal with colons": (secret) => byteByByte(hexOf)(secret).join(":"),
  "in hexadecimal, marked": (secret) => byteByByte((byte) => `0x${byte.toString(16)}`)(secret).join(", "),
  "as a Buffer": (secret) =>
    inspect(Buffer.from(secret))
      .slice("<Buffer ".length, -1)
      .replace(/ \.{3} .*/, ""),
  "as a list of bytes": (secret) => byteByByte(String)(secret).join(","),
  "as a list of bytes, a line each": (secret) => byteByByte(String)(secret).join(",\n    "),
  "quoted for mail": (secret) => byteByByte((byte) => hexOf(byte).toUpperCase())(secret).join("="),
  "with zero-width characters": (secret) => Array.from(secret).join("\u200b"),
  "in full width": each((code) => (code > 0x20 ? String.fromCharCode(code + 0xfee0) : " "))
}

const secrets: Readonly<Record<string, string>> = {
  "20 characters": token(20),
  "300 characters": token(300),
  "4,096 characters": token(4_096),
  "10,000 characters": token(10_000),
  "a JWT": `${Buffer.from('{"alg":"HS256"}').toString("base64url")}.${token(3_700)}.${token(43)}`,
  "quotes and backslashes": `${token(12)}\\"'/<&>%+= \\\\u0041%41&amp;${token(12)}`,
  "not ASCII": `schlüssel-€-${token(16)}-ключ`,
  "letters whose capitals are others": "ßäŸﬁ-ΐςςΣ-ıİſ-ꭰა-𐐨℮-".repeat(3),
  "letters that are UTF-8 of others": "ç£§Å£ñ§ö£ä§ß".repeat(3),
  repeats: "a".repeat(4_000),
  backslashes: `${token(20)}${"\\".repeat(40)}${token(20)}`,
  "pieces that share a hash": colliding(6)
}

describe("redaction", () => {
  for (const [kind, secret] of Object.entries(secrets)) {
    it(`leaves nothing of a secret of ${kind}, however the service spells it`, () => {
      const redact = Redaction.make([secret])
      for (const [how, spell] of Object.entries(spellings)) {
        const spelt = spell(secret)
        const left = redact(`before ${spelt} after`)
        assert.isTrue(left.startsWith("before ") && left.endsWith(" after"), `${how}: ${left.slice(0, 200)}`)
        // A piece that is nothing but escapes is spelt like many another.
        if (how.startsWith("its ") && secret.includes("\\")) continue
        // Base64 shares the characters at its ends with what stands beside the secret.
        const rest = left.slice("before ".length, -" after".length).replaceAll("<redacted>", "")
        assert.isAtMost(rest.length, 6, `${how}: ${left.slice(0, 200)}`)
      }
    })
  }

  for (const [how, spell] of Object.entries(printed)) {
    it(`leaves nothing of a secret ${how}`, () => {
      for (const secret of [secrets["20 characters"]!, secrets["300 characters"]!, secrets["a JWT"]!]) {
        const left = Redaction.make([secret])(`before ${spell(secret)} after`)
        assert.strictEqual(left, "before <redacted> after")
      }
    })
  }

  it("leaves lists of numbers and of bytes alone that are not of a secret", () => {
    const redact = Redaction.make([token(300)])
    for (const text of [
      "1, 2, 3, 4, 5, 6, 7, 8, 9, 10",
      "00:1a:2b:3c:4d:5e:6f:70",
      "&#12 &#x; u{41 u{zz} \\x4 &#1114112;"
    ]) {
      assert.strictEqual(redact(text), text)
    }
  })

  it("takes steps in proportion to a text of numbers, bytes and escapes that are nested or never end", () => {
    const redact = Redaction.make([token(300)])
    const endless = ["&#", "&#0", "&#4%3&#49", "%3", "u{", "u{0", "}", ";", "0", "65 ", "1,", "0x", "\\x", "\u200b"]
    for (const piece of endless) {
      for (const end of ["", ";", "%31", "}", "\\x41"]) redact(`&#${piece.repeat(10_000)}${end}`)
    }
  })

  it("leaves nothing of a piece of 16 characters, wherever in the secret it begins and however it is encoded", () => {
    const secret = token(4_096)
    const redact = Redaction.make([secret])
    const encodings: Readonly<Record<string, (piece: string) => string>> = {
      plain: (piece) => piece,
      hex: (piece) => Buffer.from(piece).toString("hex"),
      base64: (piece) => Buffer.from(piece).toString("base64"),
      "base64 behind one character": (piece) => Buffer.from(`:${piece}.`).toString("base64"),
      "base64 behind two characters": (piece) => Buffer.from(`::${piece}..`).toString("base64url")
    }
    for (const [how, encode] of Object.entries(encodings)) {
      for (let at = 0; at <= 64; at++) {
        const left = redact(` ${encode(secret.slice(at, at + 16))} `)
        // What stands beside the piece shares characters of base64 with it.
        assert.isAtMost(
          left.replaceAll("<redacted>", "").trim().length,
          how.startsWith("base64") ? 6 : 0,
          `${how}, ${at}`
        )
      }
    }
  })

  it("gives a letter and its capitals one canonical spelling", () => {
    const unitsOf = (text: string) => Canonical.canonical(text).units.join()
    const apart: Array<string> = []
    for (let code = 0; code < 0x1_1000; code++) {
      const letter = String.fromCodePoint(code)
      const units = unitsOf(letter)
      if (unitsOf(letter.toUpperCase()) !== units || unitsOf(letter.toLowerCase()) !== units) apart.push(letter)
    }
    assert.deepStrictEqual(apart, [])
  })

  it("prepares a secret once, and not before a text is looked at", () => {
    const secret = Redaction.compile(token(4_096))
    const redact = Redaction.by([secret])
    assert.strictEqual(redact("short"), "short")
    const windows = secret.windows()
    redact(`x ${token(4_096)}`)
    assert.strictEqual(secret.windows(), windows)
    assert.deepStrictEqual(Redaction.compile("  1234567 ").windows(), [])
  })

  it("leaves a text alone that repeats nothing", () => {
    const redact = Redaction.make([token(4_096), token(300)])
    const text = JSON.stringify({
      status: 404,
      message: "No wallet \\ \u00e9 &amp; 100%41 %zz &nope; \\u12",
      code: "E12345"
    })
    assert.strictEqual(redact(text), text)
  })

  it("does not take a short text for a secret", () => {
    assert.strictEqual(Redaction.make(["", "1234567"])("1234567"), "1234567")
    assert.strictEqual(Redaction.make(["12345678"])("x12345678y"), "x<redacted>y")
  })

  it("finds a secret with blanks around it without them", () => {
    const secret = token(24)
    assert.strictEqual(Redaction.make([` ${secret}\n`])(`"${secret}"`), '"<redacted>"')
  })

  it("redacts the keys, texts and numbers of a value, and keeps its shape", () => {
    const secret = "1234567890123"
    const value = { [secret]: [`x${secret}y`, Number(secret), null, true, 12], code: "E00402" }
    assert.deepStrictEqual(valueIn(Redaction.make([secret]), value), {
      "<redacted>": ["x<redacted>y", "<redacted>", null, true, 12],
      code: "E00402"
    })
  })

  it("takes steps in proportion to both texts, where an expression would try every way to read backslashes", () => {
    // The expression of the first version took 3.5 times as long with every two backslashes more: 400 never ended.
    for (const size of [24, 400, 40_000]) {
      const left = Redaction.make(["\\".repeat(size)])("\\".repeat(size * 2))
      assert.isAtMost(left.length, size * 2)
    }
    for (const piece of ["a", "%25", "&amp;", "\\u005c"]) {
      Redaction.make([piece.repeat(5_000)])(piece.repeat(50_000))
    }
  })

  it("bounds what an error repeats: length, fields, items, depth, control characters", () => {
    const redact = Redaction.make([])
    assert.strictEqual(textIn(redact, "x".repeat(5_000)).length, 1_025)
    assert.strictEqual(textIn(redact, "\u001b[31mred\r\n\u2028"), "\\u001b[31mred\\u000d\\u000a\\u2028")
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, at) => [`field${at}`, at]))
    assert.strictEqual(Object.keys(valueIn(redact, wide) as object).length, 64)
    assert.strictEqual((valueIn(redact, Array.from({ length: 500 })) as ReadonlyArray<unknown>).length, 64)
    let deep: unknown = "end"
    for (let level = 0; level < 100_000; level++) deep = [deep]
    assert.isAtMost(JSON.stringify(valueIn(redact, deep)).length, 100)
    assert.deepStrictEqual(Object.keys(valueIn(redact, JSON.parse('{"__proto__":"x"}')) as object), ["__proto__"])
    assert.strictEqual(textIn(redact, "\u0000".repeat(5_000)).length, 1_025)
    assert.strictEqual(bodyIn(redact, "\u0000".repeat(5_000)).length, 2_000)
  })

  it("bounds what an error repeats as a whole, however it is nested", () => {
    const redact = Redaction.make([])
    const long = "x".repeat(1_000)
    const listOf = (item: unknown) => Array.from({ length: 64 }, () => item)
    const record = (value: unknown) =>
      Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`${at}${long}`, value]))
    for (const value of [listOf(listOf(long)), record(record(1)), listOf(listOf(listOf({}))), listOf(listOf("\n"))]) {
      assert.isAtMost(JSON.stringify(valueIn(redact, value)).length, 100_000)
    }
  })

  it("looks for secrets in no more of a value than an error may repeat, however little is left of it", () => {
    let read = 0
    const redact = (text: string) => {
      read += text.length
      return Redaction.redacted
    }
    const long = "x".repeat(8_192)
    const listOf = (item: unknown) => Array.from({ length: 64 }, () => item)
    const named = Object.fromEntries(Array.from({ length: 64 }, (_, at) => [`${at}${long}`, long]))
    for (const value of [listOf(listOf(long)), listOf(named), listOf(listOf(listOf(-Number.MAX_VALUE / 3)))]) {
      read = 0
      valueIn(redact, value)
      assert.isAtMost(read, 32_768 + long.length)
    }
  })
})
