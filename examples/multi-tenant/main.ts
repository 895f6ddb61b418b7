/**
 * Five organizations in one process. Two are well; of the others, one has lost its session, the service of one does not
 * answer, and one is configured wrongly. The two notice none of this.
 */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { NodeCustody, TokenStoreSqlite } from "@effect-custody/node"
import { Environment, RetryPolicy, TokenService, Vaults } from "@effect-custody/sdk"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Array, Console, Context, Duration, Effect, FileSystem, Layer, Option, Path, Result, Schema } from "effect"
import { type Directory, Tenants } from "./Tenants.ts"

class Failed extends Schema.TaggedError<Failed>()("Failed", { message: Schema.String }) {}

/** A custody service of its own. */
const startService = Effect.map(Layer.build(CustodyEmulator.layerServer()), Context.get(CustodyEmulator))

/** The set-up: which services work, and which do not. */
const makeDirectory = Effect.gen(function* () {
  const [shared, broken, silent] = yield* Effect.all([startService, startService, startService])
  yield* broken.faults.next("authentication.generateTokens", Fault.answerLost(), { times: Infinity })
  yield* silent.faults.next("*", Fault.silence(), { times: Infinity })
  const directory: Directory = {
    acme: { environment: shared.environment, apiKey: yield* shared.issueApiKey({ vaultId: 1 }) },
    globex: { environment: shared.environment, apiKey: yield* shared.issueApiKey({ vaultId: 2 }) },
    initech: { environment: broken.environment, apiKey: yield* broken.issueApiKey() },
    umbrella: {
      environment: silent.environment,
      apiKey: yield* silent.issueApiKey(),
      // The answer to a request for tokens is waited for, also when the program ends: here not for the usual 30 seconds.
      timing: { requestTimeout: Duration.seconds(4) }
    },
    hooli: { environment: Environment.production({ subdomain: "not a name", host: "custody.example" }) }
  }
  return { directory, expireTokens: shared.expireTokens }
})

/** The work that is done as an organization. It does not know which one. */
const vaultName = Vaults.details().pipe(Effect.map((vault) => vault.name ?? "a vault without a name"))

/** How a call as an organization went, in words, and how long it took. */
const told = Effect.fn("told")(function* (key: string) {
  const tenants = yield* Tenants
  const [took, said] = yield* vaultName.pipe(
    // Nobody waits longer than this, and the error says what was sent by then.
    RetryPolicy.within("2 seconds"),
    tenants.as(key),
    Effect.catch((error) => Effect.succeed(`${error._tag}: ${error.message}`)),
    Effect.timed
  )
  return `  ${key.padEnd(8)} ${String(Math.round(Duration.toMillis(took))).padStart(5)} ms  ${said}`
})

/** How many of so many calls at once succeeded, and how often the session has been rotated then. */
const wave = Effect.fn("wave")(function* (calls: number) {
  const results = yield* Effect.all(Array.replicate(Effect.result(vaultName), calls), { concurrency: "unbounded" })
  const { generation } = yield* TokenService.use(({ status }) => status)
  return { succeeded: results.filter(Result.isSuccess).length, rotations: Option.getOrElse(generation, () => 0) }
})

const program = Effect.gen(function* () {
  const { directory, expireTokens } = yield* makeDirectory
  yield* Effect.gen(function* () {
    const tenants = yield* Tenants
    yield* Console.log("\nEvery organization is asked for its vault, all at once:\n")
    // Printed as they come: those that work do not wait for those that do not.
    yield* Effect.forEach(Object.keys(directory), (key) => Effect.flatMap(told(key), Console.log), {
      concurrency: "unbounded"
    })

    yield* Console.log("\nThe tokens of two expire, and each makes 100 calls:\n")
    yield* expireTokens
    for (const key of ["acme", "globex"]) {
      const { rotations, succeeded } = yield* tenants.as(key)(wave(100))
      yield* Console.log(`  ${key.padEnd(8)} ${succeeded} succeeded, ${rotations} rotation`)
      if (succeeded !== 100 || rotations !== 1) return yield* new Failed({ message: `${key} felt the others` })
    }
    yield* Console.log("")
  }).pipe(Effect.provide(Tenants.layer(directory)))
})

/** One store and one pool for all of them. */
const Shared = Layer.unwrap(
  Effect.gen(function* () {
    const fs = yield* FileSystem.FileSystem
    const path = yield* Path.Path
    const directory = yield* fs.makeTempDirectoryScoped({ prefix: "effect-custody-" })
    return TokenStoreSqlite.layer({ filename: path.join(directory, "sessions.db") })
  })
).pipe(Layer.provide(NodeServices.layer), Layer.merge(NodeCustody.layerHttpClient()))

program.pipe(Effect.scoped, Effect.provide(Shared), NodeRuntime.runMain)
