/** Bugs that everybody has written once: planted, to see that the checker sees them. */
import { registerHooks } from "node:module"

interface Bug {
  readonly file: string
  readonly from: string
  readonly to: string
}

export const bugs: Readonly<Record<string, ReadonlyArray<Bug>>> = {
  /** A process refreshes what it remembers, and does not ask the store whether another one has. */
  "no re-read": [
    {
      file: "internal/rotation.ts",
      from: "const stored = yield* Lease.watching(store.load, countWatched)\n",
      to: `const read = yield* Lease.watching(store.load, countWatched)
    const session = SessionState.liveSession(known) ?? read.record.session
    const stored: Stored = { version: read.version, record: session === undefined ? read.record : { environment: read.record.environment, spentKeys: read.record.spentKeys, session } }
`
    }
  ],
  /** A rejected refresh token is forgotten with its session, and sent again when a backup brings it back. */
  "refused again": [
    {
      file: "internal/sessionState.ts",
      from: "      outage: undefined,\n      replacedSecrets: [",
      to: "      outage: undefined,\n      rejectedSecrets: [],\n      endedSessions: [],\n      replacedSecrets: ["
    },
    {
      file: "internal/sessionState.ts",
      from: "rejectedSecrets.find((one) => sameSecret(one.secret, secret))",
      to: "undefined"
    }
  ],
  /** The answer to a refresh is read by rules of its own: a code or a 4xx counts, whoever sent it. */
  "codes over statuses": [
    {
      file: "internal/tokenResponse.ts",
      from: `return { _tag: "InDoubt", reason: outcome.reason, retryAfter: outcome.retryAfter }`,
      to: `{
        const { answer, reason } = outcome
        const text = answer._tag === "Answered" ? answer.text : ""
        if (/E01402|E40002|E00401/.test(text)) return { _tag: "Rejected", reason }
        if (text.includes("E00402")) return { _tag: "Malformed", reason }
        if (answer._tag === "Answered" && answer.status === 499) return { _tag: "NotSpent", reason, retryAfter: undefined }
        return { _tag: "InDoubt", reason, retryAfter: undefined }
      }`
    }
  ],
  /** New tokens are used before they are stored. */
  "publish first": [
    {
      file: "internal/sessionWriter.ts",
      from: "const written = yield* Effect.result(store.persist(record, version))",
      to: `yield* state.use(session, true, { _tag: event, generation: session.generation })
      const written = yield* Effect.result(store.persist(record, version))`
    }
  ],
  /** A process that is told that a refresh token is dead deletes the session. */
  "loser deletes": [
    {
      file: "internal/decision/onResponse.ts",
      from: "const lost: SessionRecord = { ...release(newest, undefined), end }",
      to: `const { session: _, ...lost }: SessionRecord = { ...release(newest, undefined), end }`
    },
    {
      file: "internal/decision/onResponse.ts",
      from: 'return { _tag: "End", record: lost, error: endOf(identity, lost)! }',
      to: 'return { _tag: "End", record: lost, error: endOf(identity, { ...lost, session: from })! }'
    }
  ]
}

const toBytes = (source: unknown): Uint8Array =>
  source instanceof Uint8Array ? source : new TextEncoder().encode(typeof source === "string" ? source : "")

/** Changes the sources as they are loaded from here on. A bug whose place is gone is an error. */
export const plant = (name: string): void => {
  const planted = bugs[name]
  if (planted === undefined) throw new Error(`no such bug: ${name}`)
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const here = planted.filter(({ file }) => url.endsWith(`/authentication/src/${file}`))
      if (here.length === 0) return loaded
      const source = here.reduce(
        (text, { from, to }) => {
          if (text.split(from).length !== 2) throw new Error(`${name}: its place in ${url} is gone`)
          return text.replace(from, () => to)
        },
        new TextDecoder().decode(toBytes(loaded.source))
      )
      return { ...loaded, source }
    }
  })
}
