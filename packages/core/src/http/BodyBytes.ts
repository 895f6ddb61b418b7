/**
 * The bytes of a body while they arrive. A transport that reports what it has received (`SendProgress.Received`) can keep
 * them here: the memory that they take depends on how many bytes there are, not on how many chunks.
 */

/** The bytes of a body as far as they have arrived. */
export interface BodyBytes {
  /** How many there are. */
  readonly size: number
  /** Adds the next chunk. The first one is kept as it is, any other is copied. */
  readonly add: (chunk: Uint8Array) => void
  /** All of them. What is added later does not change the result. */
  readonly all: () => Uint8Array
}

/** No bytes yet. Memory is reserved ahead for up to `limit` bytes; more are kept all the same. */
export const make = (limit: number): BodyBytes => {
  let bytes: Uint8Array = new Uint8Array()
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
