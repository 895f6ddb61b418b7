/** Formats exchanges as readable text. */
import * as DateTime from "effect/DateTime"
import type { Entry } from "./wireEntry.ts"

/** The limit of a body in characters. */
const maxLength = 2_000

/** Headers that every exchange has. */
const omitted: Readonly<Record<string, string>> = {
  accept: "application/json",
  "accept-encoding": "identity",
  "content-type": "application/json"
}

const inset = (mark: string, text: string): ReadonlyArray<string> => {
  const cut = text.length > maxLength ? `${text.slice(0, maxLength)}… (${text.length} characters)` : text
  return cut === "" ? [] : cut.split(/\r?\n/).map((line) => `    ${mark} ${line}`)
}

const headers = (mark: string, all: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(all)
    .filter(([name, value]) => omitted[name] !== value && name !== "content-length" && name !== "user-agent")
    .map(([name, value]) => `    ${mark} ${name}: ${value}`)

const answer = ({ answer, sentAt }: Entry): ReadonlyArray<string> => {
  const after = (at: DateTime.Utc) => `after ${at.epochMilliseconds - sentAt.epochMilliseconds} ms`
  switch (answer._tag) {
    case "Pending":
      return ["    < no answer yet"]
    case "GivenUp":
      return [`    < given up ${after(answer.at)}: the caller was interrupted`]
    case "NotAnswered":
      return [`    < no answer, ${after(answer.at)}: ${answer.reason}`]
    case "Answered":
      return [
        `    < ${answer.status} ${after(answer.at)}`,
        ...headers("<", answer.headers),
        ...(answer.body === undefined ? ["    < (its body was not read)"] : inset("<", answer.body)),
        ...(answer.brokenOff === undefined ? [] : [`    < broken off: ${answer.brokenOff}`])
      ]
  }
}

const query = (entry: Entry): string => {
  const search = new URLSearchParams(entry.query.map(([name, value]) => [name, value])).toString()
  return search === "" ? "" : `?${search}`
}

/** Lists the exchanges in order, with times relative to the first. */
export const formatTranscript = (entries: ReadonlyArray<Entry>): string => {
  const [first] = entries
  if (first === undefined) return "Nothing was sent."
  return entries
    .map((entry) =>
      [
        `#${entry.sequence}  +${entry.sentAt.epochMilliseconds - first.sentAt.epochMilliseconds} ms  ` +
          `${entry.method} ${entry.path}${query(entry)}${entry.operation === undefined ? "" : `  (${entry.operation})`}`,
        ...headers(">", entry.headers),
        ...inset(">", entry.body),
        ...answer(entry)
      ].join("\n")
    )
    .join("\n\n")
}
