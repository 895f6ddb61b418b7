/**
 * Collects the bytes of a body while they arrive, for a transport that reports `SendProgress.Received`. The memory
 * depends on the number of bytes, not on the number of chunks.
 *
 * @stability unstable
 */

/** The bytes of a body that have arrived. */
export interface BodyBytes {
  readonly size: number
  /** Adds the next chunk. Keeps a reference to the first chunk, and copies each further chunk. */
  readonly add: (chunk: Uint8Array) => void
  /** Returns all bytes. A later chunk does not change the result. */
  readonly all: () => Uint8Array
}

const none = new Uint8Array()

/** Makes an empty collection. Reserves memory for at most `limit` bytes in advance. Further bytes are kept too. */
export const make = (limit: number): BodyBytes => {
  let bytes: Uint8Array = none
  let size = 0
  return {
    get size() {
      return size
    },
    add: (chunk) => {
      const before = size
      size += chunk.byteLength
      if (before === 0) {
        bytes = chunk
        return
      }
      if (size > bytes.byteLength) {
        const larger = new Uint8Array(Math.max(size, Math.min(2 * size, limit)))
        larger.set(bytes.subarray(0, before))
        bytes = larger
      }
      bytes.set(chunk, before)
    },
    all: () => (size === bytes.byteLength ? bytes : bytes.subarray(0, size))
  }
}
