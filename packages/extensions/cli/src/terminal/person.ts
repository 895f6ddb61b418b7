/** `--by NAME`: who gives a command. The contract file and the ledger record it. */
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Os from "node:os"
import * as Output from "./output.ts"

/** The user of the operating system. A container can run as a user without a name. */
const systemUser = Option.liftThrowable(() => Os.userInfo().username)

export const by = Flag.String("by").pipe(
  Flag.withDescription("Who does this; default: the user of the operating system"),
  Flag.withMetavar("NAME"),
  Flag.optional,
  Flag.mapEffect(
    Effect.fnUntraced(function* (given) {
      const name = Option.filter(Option.isSome(given) ? given : systemUser(), (text) => text.trim() !== "")
      if (Option.isNone(name)) return yield* Output.failure("add --by NAME: who does this? This user has no name")
      return name.value
    })
  )
)
