/** `custody contract record`: what a `WireLog` recorded becomes vectors that a test suite replays. */
import * as WireContract from "@effect-custody/core/WireContract"
import * as Recording from "@effect-custody/testing/Recording"
import * as Argument from "effect/cli/Argument"
import * as CliCommand from "effect/cli/Command"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Schema from "effect/Schema"
import * as ContractFiles from "./contractFiles.ts"
import * as Output from "./output.ts"

const decode = Schema.decodeUnknownEffect(Schema.fromJsonString(Schema.Array(Recording.Exchange)))

export const command = CliCommand.make(
  "record",
  {
    file: Argument.File("file", { mustExist: true }).pipe(Argument.withDescription("The entries of a WireLog as JSON")),
    contract: ContractFiles.flag,
    out: Output.out("vectors.json"),
    force: Output.force,
    json: Output.json
  },
  Effect.fnUntraced(function* ({ contract, file, force, json, out }) {
    const text = yield* Output.orFail(FileSystem.FileSystem.use((fileSystem) => fileSystem.readFileString(file)))
    const exchanges = yield* Effect.mapError(decode(text), (error) =>
      Output.failure(`${file} does not hold the entries of a WireLog: ${error.message}`)
    )
    const inForce = WireContract.WireContract.use(Effect.succeed)
    const vectors = Recording.vectors(
      exchanges,
      yield* Output.orFail(Effect.provide(inForce, ContractFiles.layer(contract)))
    )
    if (vectors.length === 0) return yield* Output.failure(`${file} has no exchange that can be replayed`)
    yield* Output.write(
      json ? "-" : out,
      vectors,
      `${vectors.length} vectors of ${exchanges.length} exchanges, without tokens and keys; see Recording.layer`,
      force
    )
  })
).pipe(
  CliCommand.withDescription(
    "Turns what a WireLog recorded under the contract into vectors that a test suite replays. Tokens and keys are " +
      "redacted; everything else in the bodies stays as it is. Incomplete answers are left out"
  )
)
