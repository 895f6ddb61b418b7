/** Bodies as texts that can be read: what is JSON stays JSON, an upload is told part by part. */

/** How much of a body is kept, in bytes. */
export const kept = 64 * 1024

const decoder = new TextDecoder()

/** Bytes as they come, and no more than are kept. */
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

/** What is kept of a text, with a word of the rest. */
export const cut = (bytes: Uint8Array, size = bytes.byteLength): string => {
  const text = decoder.decode(bytes.subarray(0, kept))
  return size <= kept ? text : `${text}… (${size} bytes)`
}

/** The parts of an upload: `name: value`, and of a file its name, type and size. */
export const parts = (bytes: Uint8Array, contentType: string, size: number): string => {
  const [, boundary] = /boundary="?([^";]+)/.exec(contentType) ?? []
  if (boundary === undefined) return cut(bytes, size)
  // Latin-1: a character for each byte, so that sizes are those of the bytes.
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
