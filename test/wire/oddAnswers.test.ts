/** New tokens that can be read are kept, however odd the answer is that brings them. */
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Zlib from "node:zlib"
import { against, clientOf, details, refusal, serverWithSession, transports } from "../support/clients/wireClient.ts"
import { type Answer, bytes, bytesThenReset, header, json, text } from "../support/servers/wireServer.ts"

const pair = { accessToken: "access-1", refreshToken: "refresh-1", expiresAt: 4102444800000 }
const whole = JSON.stringify({ message: "Tokens refreshed successfully", data: pair, status: 201 })
const afterBoth = whole.slice(0, whole.indexOf(`,"expiresAt"`))

const head = "HTTP/1.1 201 Created"
const jsonType = "Content-Type: application/json"
const length = ["Content-Length: 4000", ""]
const chunks = (...texts: ReadonlyArray<string>) => [
  "Transfer-Encoding: chunked",
  "",
  ...texts.flatMap((chunk) => [chunk.length.toString(16), chunk]),
  ""
]

/** These bytes on the socket, and then nothing: the connection stays open. */
const bytesThenSilence =
  (...lines: ReadonlyArray<string>): Answer =>
  ({ socket }) => {
    socket?.write(lines.join("\r\n"))
  }

const cuts = [
  ["whole JSON, and less than the length that was announced", [...length, whole]],
  ["whole JSON, and no last chunk", chunks(whole)],
  ["both tokens of a body with a length", [...length, afterBoth]],
  ["both tokens of a chunked body", chunks(afterBoth)]
] as const

const endings = [
  ["a reset", bytesThenReset],
  ["the end of the connection", bytes],
  ["silence", bytesThenSilence]
] as const

const compressed: ReadonlyArray<readonly [name: string, body: Buffer]> = [
  ["gzip", Zlib.gzipSync(whole)],
  ["deflate", Zlib.deflateSync(whole)],
  ["br", Zlib.brotliCompressSync(whole)]
]

/** Gzip whose checksum is wrong. */
const damaged = Zlib.gzipSync(whole)
damaged[damaged.length - 6]! ^= 0xff

/** An encoded body that becomes much larger than the limit. */
const swollen = Buffer.from(whole.replace(/}$/, `,"padding":"${"x".repeat(5_000_000)}"}`))

const size = `Content-Length: ${whole.length}`
const overUndici = ["undici", "undici with a middleware", "Effect's client over undici"]

const largeHeaders = Array.from({ length: 40 }, (_, at) => `X-Padding-${at}: ${"x".repeat(1_000)}`)

interface Odd {
  readonly name: string
  readonly answer: Answer
  /** The transports that can read it, if not all can: what the runtime's `fetch` does with it is not ours to say. */
  readonly over?: ReadonlyArray<string>
  /** Whether all of it takes real time to arrive. */
  readonly isSlow?: boolean
}

const odd: ReadonlyArray<Odd> = [
  ...endings.flatMap(([end, ending]) =>
    cuts.map(([what, rest]) => ({
      name: `51 · ${what}, then ${end}`,
      answer: ending(head, jsonType, ...rest),
      isSlow: ending === bytesThenSilence
    }))
  ),
  ...compressed.map(([encoding, body]) => ({
    name: `52 · ${encoding}, though nobody asked for it`,
    answer: text(201, "application/json", body, { "content-encoding": encoding })
  })),
  {
    name: "52 · gzip four times over, one more than an answer may have",
    answer: text(201, "application/json", Zlib.gzipSync(Zlib.gzipSync(Zlib.gzipSync(Zlib.gzipSync(whole)))), {
      "content-encoding": "gzip, gzip, gzip, gzip"
    })
  },
  ...compressed.map(([encoding, body]) => ({
    name: `51, 52 · ${encoding} without its last bytes`,
    answer: ({ socket }: Parameters<Answer>[0]) => {
      socket?.write([head, jsonType, `Content-Encoding: ${encoding}`, "Content-Length: 4000", "", ""].join("\r\n"))
      socket?.end(encoding === "br" ? body : body.subarray(0, -8))
    },
    over: ["undici"]
  })),
  ...(
    [
      ["gzip and a line break after it", Buffer.concat([Zlib.gzipSync(whole), Buffer.from("\r\n")])],
      ["gzip and a comment after it", Buffer.concat([Zlib.gzipSync(whole), Buffer.from("\n<!-- proxy -->")])],
      ["gzip with a wrong checksum", damaged]
    ] as const
  ).map(([what, body]) => ({
    name: `52 · ${what}`,
    answer: text(201, "application/json", body, { "content-encoding": "gzip" }),
    over: overUndici
  })),
  ...(
    [
      ["gzip", Zlib.gzipSync(swollen)],
      ["deflate", Zlib.deflateSync(swollen)],
      ["br", Zlib.brotliCompressSync(swollen)]
    ] as const
  ).map(([encoding, body]) => ({
    name: `52 · ${encoding} that begins with the tokens and becomes 5 MB`,
    answer: text(201, "application/json", body, { "content-encoding": encoding })
  })),
  {
    name: "53 · a 100 Continue that nobody asked for",
    answer: bytes(
      "HTTP/1.1 100 Continue",
      "",
      head,
      jsonType,
      `Content-Length: ${whole.length}`,
      "Connection: close",
      "",
      whole
    ),
    over: ["undici", "Effect's client over undici"]
  },
  ...(
    [
      ["a folded header", [head, jsonType, "X-Odd: a", "  b", size, "", whole]],
      ["a space before the colon of a header", [head, jsonType, "X-Odd : a", size, "", whole]],
      ["a control character in a header", [head, jsonType, "X-Odd: a\u0001b", size, "", whole]],
      ["two equal lengths", [head, jsonType, size, size, "", whole]],
      ["a list of equal lengths", [head, jsonType, `${size}, ${whole.length}`, "", whole]],
      ["a length of an answer in chunks", [head, jsonType, size, ...chunks(whole), "0", "", ""]],
      ["chunks that are none", [head, jsonType, "Transfer-Encoding: chunked", "", whole]],
      ["another version of HTTP", ["HTTP/1.2 201 Created", jsonType, size, "", whole]],
      ["a 204 with a body", ["HTTP/1.1 204 No Content", jsonType, size, "", whole]],
      ["a 304 with a body", ["HTTP/1.1 304 Not Modified", jsonType, size, "", whole]],
      ["a 101 that nobody asked for", ["HTTP/1.1 101 Switching", "Connection: upgrade", "Upgrade: x", size, "", whole]],
      ["no head at all", [whole]]
    ] as const
  ).map(([what, lines]) => ({ name: `61 · ${what}`, answer: bytes(...lines), over: overUndici })),
  {
    name: "61 · lines that end without a carriage return",
    answer: bytes(`${head}\n${jsonType}\n${size}\n\n${whole}`),
    over: overUndici
  },
  {
    name: "61 · a folded header, and then the rest of the answer in a packet of its own",
    answer: ({ socket }: Parameters<Answer>[0]) => {
      socket?.write([head, jsonType, "X-Odd: a", "  b", size, "", ""].join("\r\n"), () =>
        setTimeout(() => socket.end(whole), 50)
      )
    },
    over: overUndici,
    isSlow: true
  },
  ...(
    [
      ["gzip that is not declared", {}, Zlib.gzipSync(whole)],
      ["plain text that is declared as gzip", { "content-encoding": "gzip" }, whole],
      ["an encoding that nobody knows", { "content-encoding": "aws-chunked" }, whole],
      ["a character set as the encoding", { "content-encoding": "utf-8" }, whole],
      ["UTF-16 with a byte order mark", {}, Buffer.from(`\uFEFF${whole}`, "utf16le")],
      ["UTF-16", {}, Buffer.from(whole, "utf16le")]
    ] as const
  ).map(([what, headers, body]) => ({
    name: `61 · ${what}`,
    answer: text(201, "application/json", body, headers),
    over: overUndici
  })),
  {
    name: "61 · gzip that is not declared, in chunks",
    answer: (response: Parameters<Answer>[0]) => {
      const body = Zlib.gzipSync(whole)
      response.writeHead(201, { "content-type": "application/json", "transfer-encoding": "chunked" })
      response.write(body.subarray(0, 40))
      response.end(body.subarray(40))
    },
    over: ["undici", "undici with a middleware"]
  },
  {
    name: "headers of 40 KB",
    answer: bytes(head, jsonType, ...largeHeaders, `Content-Length: ${whole.length}`, "Connection: close", "", whole),
    over: ["undici", "Effect's client over undici"]
  },
  { name: "text after the JSON", answer: json(201, `${whole}\n<!-- served by proxy-3 -->`) },
  { name: "text before the JSON", answer: json(201, `)]}',\n${whole}`) },
  { name: "text with braces before the JSON", answer: json(201, `<style>p{color:red}</style>${whole}`) },
  { name: "a list around the JSON", answer: json(201, `[${whole}]`) },
  { name: "a comma at the end of the JSON", answer: json(201, whole.replace(/}$/, ",}")) },
  { name: "a mistake in the JSON before the tokens", answer: json(201, whole.replace("{", `{"took":NaN,`)) },
  {
    name: "a body above the limit that begins with the tokens",
    answer: json(201, whole.replace(/}$/, `,"padding":"${"x".repeat(200_000)}"}`))
  }
]

const limits = { maxResponseBytes: 10_000 }
const retried = "/api/integration/auth/refresh-token"

/** A server whose session expires at the first call. */
const expiring = (refresh: Answer) =>
  serverWithSession(({ headers, target }) =>
    target === retried
      ? refresh
      : headers.some(([name, value]) => name.toLowerCase() === "x-access-token" && value === "access-0")
        ? refusal(498, "E01403", "expired")
        : details
  )

describe.concurrent.each(transports)("new tokens over $name", (transport) => {
  for (const { answer, isSlow, name, over } of odd) {
    if (over?.includes(transport.name) === false) continue
    it.live(`${name}: they are kept, and nothing is sent twice`, () =>
      Effect.gen(function* () {
        const server = yield* expiring(answer)
        const program = Effect.gen(function* () {
          assert.deepInclude<object>(yield* Vaults.details(), { id: "42" })
          const refreshes = server.received.filter(({ target }) => target === retried)
          assert.strictEqual(refreshes.length, 1)
          assert.deepStrictEqual(header(refreshes[0]!, "accept-encoding"), ["identity"])
          assert.deepStrictEqual(header(server.received.at(-1)!, "x-access-token"), ["access-1"])
        })
        yield* isSlow === true
          ? Effect.provide(program, clientOf(server, transport, { limits }))
          : against(Effect.succeed(server), transport, () => program, { limits })
      })
    )
  }

  it.live("a refresh token that is a number: it is kept, digit by digit", () =>
    Effect.gen(function* () {
      const body = `{"data":{"accessToken":"access-1","refreshToken":12345678901234567890}}`
      let refreshes = 0
      const server = yield* serverWithSession(({ headers, target }) => {
        if (target === retried) return refreshes++ === 0 ? json(201, body) : json(201, whole.replaceAll("-1", "-2"))
        const token = headers.find(([name]) => name.toLowerCase() === "x-access-token")?.[1]
        return token === "access-2" ? details : refusal(498, "E01403", "expired")
      })
      yield* against(Effect.succeed(server), transport, () => Vaults.details(), { limits })
      const sent = server.received.filter(({ target }) => target === retried).map(({ body }) => JSON.parse(body))
      assert.deepStrictEqual(sent.at(-1), { refreshToken: "12345678901234567890" })
    })
  )

  for (const [encoding] of compressed) {
    it.live(`52 · a payment that is answered in ${encoding}, though nobody asked for it, has its result`, () =>
      Effect.gen(function* () {
        const body = JSON.stringify({ message: "Vault details", data: { id: "42", name: "Treasury" }, status: 200 })
        const encoded = { gzip: Zlib.gzipSync, deflate: Zlib.deflateSync, br: Zlib.brotliCompressSync }[encoding]!(body)
        const server = yield* serverWithSession(() =>
          text(200, "application/json", encoded, { "content-encoding": encoding })
        )
        const result = yield* against(Effect.succeed(server), transport, () => Vaults.details(), { limits })
        assert.deepInclude<object>(result, { id: "42" })
      })
    )
  }

  const paid = Zlib.gzipSync(JSON.stringify({ message: "Vault details", data: { id: "42", name: "T" }, status: 200 }))
  const wrong = Buffer.from(paid)
  wrong[wrong.length - 6]! ^= 0xff

  /** A call that is answered with these bytes as gzip. */
  const answeredWith = (body: Buffer) =>
    Effect.flatMap(
      serverWithSession(() => text(200, "application/json", body, { "content-encoding": "gzip" })),
      (server) => against(Effect.succeed(server), transport, () => Effect.result(Vaults.details()), { limits })
    )

  it.live("52 · a call that is answered in gzip and a line break has its result, where the decoding is ours", () =>
    Effect.gen(function* () {
      const isOurs = transport.name === "undici" || transport.name === "undici with a middleware"
      const result = yield* answeredWith(Buffer.concat([paid, Buffer.from("\r\n")]))
      assert.strictEqual(Result.isSuccess(result), isOurs)
    })
  )

  it.live("52 · a call that is answered in gzip with a wrong checksum has no result", () =>
    Effect.gen(function* () {
      assert.isTrue(Result.isFailure(yield* answeredWith(wrong)))
    })
  )
})
