/**
 * Reads the answer to a one-time secret in the bytes of its connection: what follows the head, whatever the head says. Not
 * an HTTP parser: it is asked only where undici's gives up, or finds no tokens, and finds what may be lost otherwise.
 */
import type { Received } from "@effect-custody/core/SendProgress"
import { sniffed } from "./contentEncoding.ts"

/** The text of a body: UTF-8, or UTF-16 where every other byte of the beginning is zero or a byte order mark says so. */
export const textOf = (bytes: Buffer): string => {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || second === 0) return new TextDecoder("utf-16le").decode(bytes)
  if ((first === 0xfe && second === 0xff) || first === 0) return new TextDecoder("utf-16be").decode(bytes)
  const text = bytes.toString()
  return text.startsWith("\uFEFF") ? text.slice(1) : text
}

/** How large a body may become without its encoding. */
const largest = 1024 * 1024

/** The beginning of a head, and its status. */
const headLine = /^\s*HTTP\/\S* +(\d{3})/

const headEnd = /\r?\n\r?\n/

/** The size of a first chunk. */
const chunkLine = /^[\da-f]+(?:;[^\r\n]*)?\r?\n/i

/** The answer in the bytes that a connection has received; `undefined` if its body has not begun. */
export const read = (received: Buffer): Received | undefined => {
  // One character per byte.
  let rest = received.toString("latin1")
  // Without a status line there is only a body.
  let status = 200
  // An informational head is followed by another.
  for (let line = headLine.exec(rest); line !== null; line = headLine.exec(rest)) {
    const end = headEnd.exec(rest)
    if (end === null) return undefined
    status = Number(line[1])
    rest = rest.slice(end.index + end[0].length)
  }
  const body = Buffer.from(rest.replace(chunkLine, ""), "latin1")
  if (body.length === 0) return undefined
  return { status, headers: {}, ending: "Cut", text: () => textOf(sniffed(body, largest)), response: undefined }
}
