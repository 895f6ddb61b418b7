/** Answers that are crafted to exhaust a client's time, memory or stack, as the bytes that go over a socket. */
import * as Zlib from "node:zlib"

const mib = 1024 * 1024
const size = 10 * mib - 1_024

/** Pieces of an answer: all of them, or the same one for ever. */
export interface Bytes {
  readonly head: string
  readonly body: () => Buffer
  /** Whether the body is sent again and again, for as long as somebody listens. */
  readonly isEndless?: boolean
}

const head = (status: number, headers: ReadonlyArray<string>) =>
  [`HTTP/1.1 ${status} X`, "content-type: application/json", ...headers, "", ""].join("\r\n")

const whole = (status: number, body: () => string | Buffer, ...headers: ReadonlyArray<string>): Bytes => {
  let made: Buffer | undefined
  const bytes = () => (made ??= Buffer.from(body() as string))
  return {
    get head() {
      return head(status, [...headers, `content-length: ${bytes().length}`])
    },
    body: bytes
  }
}

/** A text of the whole size, of one piece again and again between two others. */
const filled = (piece: string, before = "", after = ""): string =>
  before + piece.repeat(Math.floor((size - before.length - after.length) / piece.length)) + after

const list =
  (items: string, first = "null") =>
  () =>
    filled(`,${items}`, `{"message":"ok","data":[${first}`, `],"status":200}`)

const bomb = (compress: (bytes: Buffer) => Buffer) => () => compress(Buffer.alloc(512 * mib, "[[[[[[[["))

/** A chunk of HTTP's transfer encoding. */
const chunk = (bytes: string, extension = ""): string => `${bytes.length.toString(16)}${extension}\r\n${bytes}\r\n`

/** An answer in chunks of one byte, each with the same extension. */
const byteByByte = (text: () => string, extension: string, ...headers: ReadonlyArray<string>): Bytes => ({
  head: head(200, ["transfer-encoding: chunked", ...headers]),
  body: () => {
    const bytes = text()
    const size = chunk(" ", extension).length
    const whole = Buffer.alloc(bytes.length * size + 5, chunk(" ", extension))
    for (let at = 0; at < bytes.length; at++) whole[at * size + size - 3] = bytes.charCodeAt(at)
    whole.write("0\r\n\r\n", bytes.length * size)
    return whole
  }
})

/** A body that is encoded so many times in gzip, which adds little to it each time. */
const layered = (count: number) => () => {
  let bytes: Buffer = Buffer.alloc(200_000, "[")
  for (let layer = 0; layer < count; layer++) bytes = Zlib.gzipSync(bytes, { level: 0 })
  return bytes
}

const gzips = (count: number) => `content-encoding: ${Array.from({ length: count }).fill("gzip").join(",")}`

export const answers: Readonly<Record<string, Bytes>> = {
  "an ordinary answer": whole(200, () => `{"message":"ok","data":{"id":"42","name":"Treasury"},"status":200}`),
  "10 MiB of {} and one exponent": whole(200, list("{}", "1e2")),
  "10 MiB of zeros": whole(200, list("0", "1e2")),
  "10 MiB of one number": whole(200, () => filled("9", `{"message":"ok","data":{"id":`, `},"status":200}`)),
  "10 MiB of one number with an exponent of millions": whole(200, list("1e99999999")),
  "10 MiB of one text": whole(200, () => filled("x", `{"message":"ok","data":{"id":"`, `"},"status":200}`)),
  "10 MiB of escapes": whole(200, () => filled("\\u0041", `{"message":"ok","data":{"id":"`, `"},"status":200}`)),
  "10 MiB of different keys": whole(200, () => {
    let text = `{"message":"ok","data":{`
    for (let key = 0; text.length < size; key++) text += `"${key.toString(36)}":1,`
    return `${text}"z":1e2},"status":200}`
  }),
  "10 MiB of __proto__": whole(200, () => filled(`{"__proto__":`, "", "")),
  "10 MiB of {, nested, whole": whole(200, () => {
    const depth = Math.floor(size / 7)
    return `{"a":`.repeat(depth) + "1" + "}".repeat(depth)
  }),
  "10 MiB of rows": whole(200, list(`{"id":"1","amount":1.5}`)),
  "10 MiB of a refusal's fields": whole(422, () =>
    filled(`"f":["no","${"x".repeat(100)}"],`, `{"status":422,"code":"E00402","message":"no","errors":{`, `"z":1e2}}`)
  ),
  "10 MiB of a page": whole(502, () => filled("<p>", "<html>")),
  "10 MiB of what is no UTF-8": whole(200, () => Buffer.alloc(size, 0xff)),
  "10 MiB in chunks of 1 byte": byteByByte(
    () => filled(" ", `{"message":"ok","data":{"id":"42"},"status":200`, "}"),
    ""
  ),
  "6 KB in chunks of 1 byte, each with 60 KB around it": byteByByte(
    () => `{"message":"ok","data":{"id":"42"},"status":200${" ".repeat(6_000)}}`,
    `;x=${"x".repeat(60_000)}`
  ),
  "a body without an end": {
    head: head(200, ["transfer-encoding: chunked"]),
    body: () => Buffer.from(`10000\r\n${"[".repeat(0x10000)}\r\n`),
    isEndless: true
  },
  "a body that announces a terabyte": {
    head: head(200, ["content-length: 1099511627776"]),
    body: () => Buffer.alloc(mib, " "),
    isEndless: true
  },
  "a head without an end": {
    head: "HTTP/1.1 200 X\r\n",
    body: () => Buffer.from(`x-${"x".repeat(1_000)}: y\r\n`),
    isEndless: true
  },
  "informational answers without an end": {
    head: "",
    body: () => Buffer.from("HTTP/1.1 103 X\r\nlink: </x>\r\n\r\n".repeat(1_000)),
    isEndless: true
  },
  "512 MiB in gzip": whole(
    200,
    bomb((bytes) => Zlib.gzipSync(bytes)),
    "content-encoding: gzip"
  ),
  "512 MiB in gzip in gzip": whole(
    200,
    () => Zlib.gzipSync(bomb((bytes) => Zlib.gzipSync(bytes))()),
    "content-encoding: gzip, gzip"
  ),
  "3,000 times gzip": whole(200, layered(3_000), gzips(3_000))
}
