/** Bodies as readable text. JSON stays as is; an upload becomes a line per part. */

/** How many bytes of an answer are kept, unless its client says how many it reads: as many as the SDK reads by default. */
export const kept = 10 * 1024 * 1024

/** How many bytes of an upload are kept: enough for its fields. Its files are shown by their sizes. */
export const keptOfUpload = 256 * 1024

const decoder = new TextDecoder()

/** Collects chunks, up to a limit in bytes. */
export interface Collected {
  readonly add: (chunk: Uint8Array) => void
  readonly bytes: () => Uint8Array
  readonly text: () => string
  /** All of it, with what is not kept. */
  readonly size: () => number
}

export const collect = (limit: number): Collected => {
  const chunks: Array<Uint8Array> = []
  let size = 0
  const bytes = () => Buffer.concat(chunks)
  return {
    add: (chunk) => {
      if (size < limit) chunks.push(chunk.slice(0, limit - size))
      size += chunk.byteLength
    },
    bytes,
    text: () => decoder.decode(bytes()),
    size: () => size
  }
}

/** The parts of an upload as `name: value`. A file shows its name, type and size. */
export const parts = (bytes: Uint8Array, contentType: string, size: number): string => {
  const [, boundary] = /boundary="?([^";]+)/.exec(contentType) ?? []
  const more = size <= bytes.byteLength ? "" : `… (${size} bytes)`
  if (boundary === undefined) return decoder.decode(bytes) + more
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
  return [...written, ...(more === "" ? [] : [more])].join("\n")
}
