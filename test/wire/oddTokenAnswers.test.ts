import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Zlib from "node:zlib"
import { against, details, refusal, serverWithSession, http1Transports } from "../support/clients/wireClient.ts"
import { type Answer, bytes, bytesThenReset, header, json, text } from "../support/servers/wireServer.ts"

const pair = { accessToken: "access-1", refreshToken: "refresh-1", expiresAt: 4102444800000 }
const whole = JSON.stringify({ message: "Tokens refreshed successfully", data: pair, status: 201 })
const afterData = whole.slice(0, whole.indexOf(`,"status"`))

const head = "HTTP/1.1 201 Created"
const jsonType = "Content-Type: application/json"
const length = ["Content-Length: 4000", ""]
const chunks = (...texts: ReadonlyArray<string>) => [
  "Transfer-Encoding: chunked",
  "",
  ...texts.flatMap((chunk) => [chunk.length.toString(16), chunk]),
  ""
]

const cuts = [
  ["whole JSON, and less than the length that was announced", [...length, whole]],
  ["whole JSON, and no last chunk", chunks(whole)],
  ["the payload of a body with a length", [...length, afterData]],
  ["the payload of a chunked body", chunks(afterData)]
] as const

const endings = [
  ["a reset", bytesThenReset],
  ["the end of the connection", bytes]
] as const

const compressed: ReadonlyArray<readonly [name: string, body: Buffer]> = [
  ["gzip", Zlib.gzipSync(whole)],
  ["deflate", Zlib.deflateSync(whole)],
  ["br", Zlib.brotliCompressSync(whole)]
]

/** The http1Transports whose decoding is ours. */
const decodedHere = ["undici", "undici with a middleware"]

const largeHeaders = Array.from({ length: 40 }, (_, at) => `X-Padding-${at}: ${"x".repeat(1_000)}`)

interface Odd {
  readonly name: string
  readonly answer: Answer
  /** The http1Transports that can read it, if not all can: what the runtime's `fetch` does with it is not ours to say. */
  readonly over?: ReadonlyArray<string>
}

const odd: ReadonlyArray<Odd> = [
  ...endings.flatMap(([end, ending]) =>
    cuts.map(([what, rest]) => ({
      name: `${what}, then ${end}`,
      answer: ending(head, jsonType, ...rest)
    }))
  ),
  ...compressed.map(([encoding, body]) => ({
    name: `${encoding}, though nobody asked for it`,
    answer: text(201, "application/json", body, { "content-encoding": encoding })
  })),
  ...compressed.map(([encoding, body]) => ({
    name: `${encoding} without its last bytes`,
    answer: ({ socket }: Parameters<Answer>[0]) => {
      socket?.write([head, jsonType, `Content-Encoding: ${encoding}`, "Content-Length: 4000", "", ""].join("\r\n"))
      socket?.end(encoding === "br" ? body : body.subarray(0, -8))
    },
    over: ["undici"]
  })),
  ...["gzip", "utf-8"].map((encoding) => ({
    name: `plain JSON that is declared as ${encoding}`,
    answer: text(201, "application/json", whole, { "content-encoding": encoding }),
    over: decodedHere
  })),
  {
    name: "headers of 40 KB",
    answer: bytes(head, jsonType, ...largeHeaders, `Content-Length: ${whole.length}`, "Connection: close", "", whole),
    over: ["undici", "undici with a middleware"]
  },
  { name: "text after the JSON", answer: json(201, `${whole}\n<!-- served by proxy-3 -->`) },
  { name: "text before the JSON", answer: json(201, `)]}',\n${whole}`) },
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

describe.concurrent.each(http1Transports)("new tokens over $name", (transport) => {
  for (const { answer, name, over } of odd) {
    if (over?.includes(transport.name) === false) continue
    it.live(`${name}: the client keeps the new tokens, and sends nothing twice`, () =>
      Effect.gen(function* () {
        const server = yield* expiring(answer)
        const program = Effect.gen(function* () {
          assert.deepInclude<object>(yield* Vaults.details(), { id: "42" })
          const refreshes = server.received.filter(({ target }) => target === retried)
          assert.strictEqual(refreshes.length, 1)
          assert.deepStrictEqual(header(refreshes[0]!, "accept-encoding"), ["identity"])
          assert.deepStrictEqual(header(server.received.at(-1)!, "x-access-token"), ["access-1"])
        })
        yield* against(Effect.succeed(server), transport, () => program, { limits })
      })
    )
  }
})
