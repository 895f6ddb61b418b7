/** What the session uses of the platform that takes real time: answered at once, so that a run is one piece. */
import { createHash } from "node:crypto"

const digestNow = (_: string, data: Uint8Array) => {
  const { buffer } = new Uint8Array(createHash("sha256").update(data).digest())
  // A promise takes a turn of the event loop, and there is none in a run: `Effect.promise` only asks for a `then`.
  return {
    // oxlint-disable-next-line unicorn/no-thenable
    then: (resolve: (value: ArrayBuffer) => unknown) => resolve(buffer)
  }
}

Object.defineProperty(globalThis.crypto.subtle, "digest", { value: digestNow, configurable: true })

// Nobody reads the stacks of a run: to take them would be half of its time.
Error.stackTraceLimit = 0
