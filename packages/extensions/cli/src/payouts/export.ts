/**
 * `custody payouts export`: every step of the ledger as a line, and a chain of hashes over the lines. A line is the hash,
 * a space, and the step as JSON. The hash is SHA-256 of the line before it (its hash, or 64 zeros before the first), a
 * space, and the JSON. So who keeps the last hash sees whether a line was changed, taken out or put in.
 */
import { PayoutEvent } from "@effect-custody/ledger/Payout"
import * as Payouts from "@effect-custody/ledger/Payouts"
import * as CliCommand from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { createHash } from "node:crypto"
import * as Output from "../terminal/output.ts"
import * as Place from "./place.ts"

const encode = Schema.encodeEffect(PayoutEvent)

/** ASCII alone, so that a line is the same bytes in every encoding, and shows no character that hides another. */
const jsonOf = (event: PayoutEvent): Effect.Effect<string> =>
  Effect.map(Effect.orDie(encode(event)), (encoded) =>
    JSON.stringify(encoded).replaceAll(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
  )

const chained = (hash: string, json: string): string => createHash("sha256").update(`${hash} ${json}`).digest("hex")

interface Link {
  readonly hash: string
  readonly cursor: string | undefined
}

const first: Link = { hash: "0".repeat(64), cursor: undefined }

/** The last line of an earlier export. Fails if a line of it does not follow from the one before. */
const lastOf = (file: string) =>
  FileSystem.FileSystem.use((fileSystem) =>
    fileSystem.stream(file).pipe(
      Stream.decodeText(),
      Stream.splitLines,
      Stream.runFoldEffect(
        () => ({ ...first, line: 1 }),
        ({ hash, line }, text) => {
          const json = text.slice(65)
          return text === `${chained(hash, json)} ${json}`
            ? Effect.succeed({ hash: text.slice(0, 64), cursor: JSON.parse(json).cursor as string, line: line + 1 })
            : Output.failure(`line ${line} of ${file} is not what was exported`)
        }
      )
    )
  ).pipe(Output.orFail)

/** Prints what follows a line, and returns the last line and the number of lines. */
const printAfter = Effect.fnUntraced(function* (from: Link) {
  let [link, count] = [from, 0]
  for (;;) {
    const events = yield* Payouts.changes(link.cursor)
    if (events.length === 0) return { link, count }
    for (const event of events) {
      const json = yield* jsonOf(event)
      link = { hash: chained(link.hash, json), cursor: event.cursor }
      yield* Console.log(`${link.hash} ${json}`)
    }
    count += events.length
  }
})

export const command = CliCommand.make(
  "export",
  {
    continues: Flag.String("continue").pipe(
      Flag.withDescription("An earlier export: prints only what came after it, to be added to it"),
      Flag.withMetavar("FILE"),
      Flag.optional
    ),
    ...Place.flags
  },
  Effect.fnUntraced(function* ({ continues, ...options }) {
    const from = yield* Option.match(continues, { onNone: () => Effect.succeed(first), onSome: lastOf })
    const { count, link } = yield* Place.onLedger(options)(printAfter(from))
    yield* Console.error(`${count} steps; the last hash is ${link.hash}: keep it where nobody can change the export`)
  })
).pipe(CliCommand.withDescription("Prints every step as a line, with a chain of hashes for an auditor"))
