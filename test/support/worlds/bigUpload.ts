/**
 * A process that uploads megabytes from a stream to an address, and prints the maximum of the memory that this took:
 * `node bigUpload.ts ORIGIN MEGABYTES`.
 */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, Environment, Upload } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Tokens } from "@effect-custody/sdk"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

const [origin = "", megabytes = "1"] = process.argv.slice(2)
const piece = new Uint8Array(64 * 1024).fill(120)
const pieces = Number(megabytes) * 16

const document = Upload.fromStream({
  name: "big.bin",
  contentType: "application/octet-stream",
  size: pieces * piece.length,
  open: () => Stream.fromIterable({ [Symbol.iterator]: () => Array(pieces).fill(piece).values() })
})

const live = Custody.layer({
  environment: Environment.emulator(origin),
  apiKey: Redacted.make("one-time key"),
  limits: { attemptTimeout: Duration.minutes(2) }
}).pipe(Layer.provide([NodeCustody.layerHttpClient(), TokenStore.layerMemory]))

/** The memory beyond the needs of the program itself. */
const held = () => {
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

const program = Effect.gen(function* () {
  // All modules are loaded, and the session has begun.
  yield* Tokens.mint({ tokenId: "gold", amount: Amount.of("1") })
  const before = held()
  let maxHeld = before
  const watching = yield* Effect.sync(() => {
    maxHeld = Math.max(maxHeld, held())
  }).pipe(Effect.repeat(Schedule.spaced("5 millis")), Effect.forkChild)
  yield* Tokens.mint({ tokenId: "gold", amount: Amount.of("1"), document })
  yield* Fiber.interrupt(watching)
  return { megabytes: (maxHeld - before) / 2 ** 20, resident: process.resourceUsage().maxRSS / 1024 }
})

console.log(JSON.stringify(await Effect.runPromise(program.pipe(Effect.provide(live)))))
