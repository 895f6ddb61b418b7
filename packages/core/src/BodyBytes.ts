/**
 * The bytes of a body while they arrive. A transport that reports what it has received (`SendProgress.Received`) can keep
 * them here: the memory that they take depends on how many bytes there are, not on how many chunks.
 *
 * @since 0.1.0
 */

/**
 * The bytes of a body as far as they have arrived.
 *
 * @category models
 * @since 0.1.0
 */
export interface BodyBytes {
  /** How many there are. */
  readonly size: number
  /** Adds the next chunk. The first one is kept as it is, any other is copied. */
  readonly add: (chunk: Uint8Array) => void
  /** All of them. What is added later does not change the result. */
  readonly all: () => Uint8Array
}

const none = new Uint8Array()

class Growing implements BodyBytes {
  readonly #limit: number
  #bytes: Uint8Array = none
  size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Uint8Array): void {
    const before = this.size
    this.size += chunk.byteLength
    if (before === 0) {
      this.#bytes = chunk
      return
    }
    if (this.size > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.max(this.size, Math.min(2 * this.size, this.#limit)))
      larger.set(this.#bytes.subarray(0, before))
      this.#bytes = larger
    }
    this.#bytes.set(chunk, before)
  }

  all(): Uint8Array {
    return this.size === this.#bytes.byteLength ? this.#bytes : this.#bytes.subarray(0, this.size)
  }
}

/**
 * No bytes yet. Memory is reserved ahead for up to `limit` bytes; more are kept all the same.
 *
 * @category constructors
 * @since 0.1.0
 */
export const make = (limit: number): BodyBytes => new Growing(limit)
