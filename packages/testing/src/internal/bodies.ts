/** Bodies as readable text. JSON stays as is; an upload becomes a line per part. */

/** How many bytes of a body are kept: all of the largest answer with tokens that the SDK reads, so that each is known whole. */
export const kept = 256 * 1024

const decoder = new TextDecoder()

/** Collects chunks, up to the limit. */
export interface Collected {
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => Uint8Array
  readonly size: () => number
}

export const collect = (): Collected => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  return {
    add: (chunk) => {
      if (size < kept) chunks.push(chunk.slice(0, kept - size))
      size += chunk.byteLength
    },
    bytes: () => Buffer.concat(chunks),
    size: () => size
  }
}

/** The kept part of a text, with its whole length if there is more. */
export const cutText = (text: string): string =>
  text.length <= kept ? text : `${text.slice(0, kept)}… (${text.length} characters)`

/** The kept part of a text, with the total size if there is more. */
export const cut = (bytes: Uint8Array, size = bytes.byteLength): string => {
  const text = decoder.decode(bytes.subarray(0, kept))
  return size <= kept ? text : `${text}… (${size} bytes)`
}

/** The parts of an upload as `name: value`. A file shows its name, type and size. */
export const parts = (bytes: Uint8Array, contentType: string, size: number): string => {
  const [, boundary] = /boundary="?([^";]+)/.exec(contentType) ?? []
  if (boundary === undefined) return cut(bytes, size)
  // Latin-1 has one character per byte, so that lengths are sizes in bytes.
  const [, ...found] = `\r\n${Buffer.from(bytes).toString("latin1")}`.split(`\r\n--${boundary}`)
  const written = found.flatMap((part) => {
    const end = part.indexOf("\r\n\r\n")
    if (end === -1) return []
    const head = Buffer.from(part.slice(0, end), "latin1").toString("utf8")
    const value = part.slice(end + 4)
    const [, name = ""] = /\bname="([^"]*)"/.exec(head) ?? []
    const [, file] = /\bfilename="([^"]*)"/.exec(head) ?? []
    const [, type = ""] = /^content-type: *(.*)$/im.exec(head) ?? []
    const shown =
      file === undefined ? Buffer.from(value, "latin1").toString("utf8") : `<${file}, ${type}, ${value.length} bytes>`
    return [`${name}: ${shown}`]
  })
  return size <= kept ? written.join("\n") : `${written.join("\n")}\n… (${size} bytes)`
}
