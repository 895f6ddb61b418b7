import * as Sender from "@effect-custody/core/siblings/Sender"
import { assert, describe, it } from "@effect/vitest"
import * as Arbitrary from "effect/Arbitrary"
import * as Schema from "effect/Schema"

const size = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 300 })))

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString()

describe("the bytes of a body while they arrive", () => {
  it("many small chunks in large buffers take one buffer, no larger than the limit", () => {
    const limit = 5_000
    const bytes = Sender.collectBytes(limit)
    const buffers = new Set<ArrayBufferLike>()
    const isOurs = (slab: Uint8Array) => bytes.all().buffer !== slab.buffer
    for (let at = 0; at < limit; at++) {
      const slab = new Uint8Array(100)
      bytes.add(slab.subarray(50, 51))
      assert.isTrue(at === 0 || isOurs(slab))
      assert.isAtMost(bytes.all().buffer.byteLength, at === 0 ? 100 : Math.min(2 * bytes.size, limit))
      buffers.add(bytes.all().buffer)
    }
    // It grows by doubling.
    assert.isAtMost(buffers.size, 15)
    bytes.add(Buffer.from("beyond"))
    assert.strictEqual(text(bytes.all().subarray(limit)), "beyond")
  })

  it.prop(
    "the bytes of any chunks come in turn, and an earlier result does not change",
    { sizes: Arbitrary.array(size), limit: size },
    ({ limit, sizes }) => {
      let next = 0
      const chunks = sizes.map((length) => Uint8Array.from({ length }, () => next++))
      const bytes = Sender.collectBytes(limit)
      assert.strictEqual(bytes.all().byteLength, 0)
      const seen: Array<readonly [view: Uint8Array, copy: Buffer]> = []
      for (const chunk of chunks) {
        bytes.add(chunk)
        seen.push([bytes.all(), Buffer.from(bytes.all())])
      }
      assert.isTrue(Buffer.concat(chunks).equals(bytes.all()))
      for (const [view, copy] of seen) assert.isTrue(copy.equals(view))
    }
  )
})
