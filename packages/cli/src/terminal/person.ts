/** `--by NAME`: who gives a command. The contract file and the ledger record it. */
import * as Flag from "effect/cli/Flag"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Os from "node:os"
import * as Output from "./output.ts"

/** The name in the environment. */
export const fromEnvironment = Effect.option(
  Config.NonEmptyString("USER").pipe(Config.orElse(() => Config.NonEmptyString("USERNAME")))
)

/** The name in the operating system. A container can run as a user without one. */
export const fromSystem = Effect.sync(Option.liftThrowable(() => Os.userInfo().username))

export const flag = (description: string, current: Effect.Effect<Option.Option<string>>) =>
  Flag.String("by").pipe(
    Flag.withDescription(description),
    Flag.withMetavar("NAME"),
    Flag.optional,
    Flag.mapEffect(
      Effect.fnUntraced(function* (given) {
        const name = Option.filter(Option.isSome(given) ? given : yield* current, (text) => text.trim() !== "")
        if (Option.isNone(name)) return yield* Output.failure("add --by NAME: who does this? This user has no name")
        return name.value
      })
    )
  )
