/**
 * `pnpm bench rotation [rotations]`: what durability costs, the two writes of a rotation (the claim, and the new
 * session) in memory, and on a SQLite file with and without encryption.
 */
import type { Session } from "@effect-custody/authentication"
import { TokenStore } from "@effect-custody/authentication/TokenStore"
import * as TokenStoreSqlite from "@effect-custody/node/TokenStoreSqlite"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"

const rotations = Number(process.argv[2] ?? 1000)
if (!Number.isSafeInteger(rotations) || rotations < 1) {
  console.error("the number of rotations must be a positive whole number")
  process.exit(2)
}

const recordOf = (generation: number): Session.SessionRecord => ({
  environment: "https://acme.custody.example/api/integration",
  session: {
    generation,
    startedAt: 1,
    accessToken: Redacted.make(randomBytes(256).toString("base64")),
    refreshToken: Redacted.make(randomBytes(256).toString("base64")),
    expiresAt: 900_000,
    obtainedAt: 1,
    vaultId: 42
  },
  spentKeys: ["0".repeat(64)]
})

const measure = Effect.gen(function* () {
  const store = yield* TokenStore
  const times: Array<number> = []
  let version = yield* store.compareAndSwap("bench", 0, recordOf(0))
  for (let generation = 0; generation < rotations; generation++) {
    const record = recordOf(generation)
    const next = recordOf(generation + 1)
    const started = performance.now()
    version = yield* store.compareAndSwap("bench", version, {
      ...record,
      lease: { owner: "bench", renewedAt: 1 },
      intent: { _tag: "Refresh", generation, since: 1, ambiguous: false }
    })
    version = yield* store.compareAndSwap("bench", version, next)
    times.push(performance.now() - started)
  }
  return times.toSorted((a, b) => a - b)
})

const directory = mkdtempSync(Path.join(tmpdir(), "custody-bench-"))
const key = Redacted.make(randomBytes(32).toString("base64"))
const stores = {
  "in memory": TokenStore.layerMemory,
  "on SQLite, in clear": TokenStoreSqlite.layer({ filename: Path.join(directory, "clear.db") }),
  "on SQLite, encrypted": TokenStoreSqlite.layer({ filename: Path.join(directory, "sealed.db"), key })
}
for (const [name, store] of Object.entries(stores)) {
  const times = await Effect.runPromise(Effect.provide(measure, store))
  const at = (part: number) => `${times[Math.min(times.length - 1, Math.floor(times.length * part))]!.toFixed(2)} ms`
  console.log(`the two writes of a rotation ${name}: p50 ${at(0.5)}, p99 ${at(0.99)}, of ${rotations}`)
}
rmSync(directory, { recursive: true })
