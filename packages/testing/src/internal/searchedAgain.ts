/** Recorded exchanges without what turned out to be a secret later. */
import type { Answer, Entry } from "../WireLog.ts"
import type { Secrets } from "./secretLabels.ts"

type Clean = (text: string) => string

/** An exchange of the log, and how many secrets were known when it was last searched for them. */
export interface Logged<E extends Entry> {
  readonly entry: E
  known: number
}

const headersOf = (headers: Readonly<Record<string, string>>, clean: Clean): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [clean(name), clean(value)]))

const answerOf = (answer: Answer, clean: Clean): Answer => {
  if (answer._tag === "NotAnswered") return { ...answer, reason: clean(answer.reason) }
  if (answer._tag !== "Answered") return answer
  const { body, brokenOff, headers } = answer
  return {
    ...answer,
    headers: headersOf(headers, clean),
    body: body === undefined ? undefined : clean(body),
    ...(brokenOff === undefined ? {} : { brokenOff: clean(brokenOff) })
  }
}

const textsOf = ({ answer, body, headers, path, query }: Entry, clean: Clean) => ({
  path: clean(path),
  query: query.map(([name, value]) => [clean(name), clean(value)] as const),
  headers: headersOf(headers, clean),
  body: clean(body),
  answer: answerOf(answer, clean)
})

/** The same text is often in many exchanges. */
const remembering = (clean: Clean): Clean => {
  const cleaned = new Map<string, string>()
  return (text) => {
    const before = cleaned.get(text)
    if (before !== undefined) return before
    const after = clean(text)
    cleaned.set(text, after)
    return after
  }
}

/** Searches each exchange for the secrets that became known after it was last searched. */
export const searchAgain = <E extends Entry>(log: ReadonlyArray<Logged<E>>, { count, since }: Secrets): void => {
  const known = count()
  const cleans = new Map<number, Clean>()
  for (const logged of log) {
    if (logged.known === known) continue
    const clean = cleans.get(logged.known) ?? remembering(since(logged.known))
    cleans.set(logged.known, clean)
    Object.assign(logged.entry, textsOf(logged.entry, clean))
    logged.known = known
  }
}
