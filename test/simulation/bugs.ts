/** Typical bugs, which are planted to check that the simulations find them. */
import { registerHooks } from "node:module"

interface Bug {
  readonly file: string
  readonly from: string
  readonly to: string
}

export type Bugs = Readonly<Record<string, ReadonlyArray<Bug>>>

/** Bugs that the simulation of the session has to find. */
export const sessionBugs: Bugs = {
  /** A process refreshes what it remembers, and does not ask the store whether another one has. */
  "no re-read": [
    {
      file: "authentication/src/refresh/decision.ts",
      from: "const record = withKnown(stored.record, known, now)",
      to: `const { environment, session: found, spentKeys } = stored.record
  const session = local ?? found
  const record = session === undefined ? stored.record : { environment, spentKeys, session }`
    }
  ],
  /** A rejected refresh token is forgotten with its session, and sent again when a backup brings it back. */
  "refused again": [
    {
      file: "authentication/src/session/sessionState.ts",
      from: "      outage: undefined,\n      replacedSecrets: [",
      to: "      outage: undefined,\n      rejectedSecrets: [],\n      endedSessions: [],\n      replacedSecrets: ["
    },
    {
      file: "authentication/src/session/sentSecrets.ts",
      from: "rejectedSecrets.find((one) => sameSecret(one.secret, secret))",
      to: "undefined"
    }
  ],
  /** The answer to a refresh is read by rules of its own: a code or a 4xx counts, whoever sent it. */
  "codes over statuses": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
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
      file: "authentication/src/refresh/sessionWriter.ts",
      from: "const written = yield* Effect.result(",
      to: `yield* state.use(session, true, { _tag: event, generation: session.generation })
      const written = yield* Effect.result(`
    }
  ],
  /** A process that is told that a refresh token is dead deletes the session. */
  "loser deletes": [
    {
      file: "authentication/src/refresh/decision.ts",
      from: "const ended: SessionRecord = { ...Records.release(newest, undefined), end }",
      to: `const { session: _, ...ended }: SessionRecord = { ...Records.release(newest, undefined), end }`
    },
    {
      file: "authentication/src/refresh/decision.ts",
      from: 'return { _tag: "End", record: ended, error: Records.endReason(identity, ended, response.support)! }',
      to: 'return { _tag: "End", record: ended, error: Records.endReason(identity, { ...ended, session: from })! }'
    }
  ],
  /** A time limit that has passed during a freeze counts, although the answer has arrived meanwhile. */
  "answer not read after a freeze": [
    {
      file: "core/src/http/httpExchange.ts",
      from: "keeps ? limitPassed(limit.after) :",
      to: "keeps ? Effect.sleep(limit.after) :"
    }
  ],
  /** After a freeze an answer is waited for a while, and given up at its end even if that was in another freeze. */
  "given up in a second freeze": [
    {
      file: "core/src/http/timeLimit.ts",
      from: "Effect.tap(socketsRead),\n      Effect.flatMap((late) => (late ? limitPassed(afterFreeze, punctualAgain) : Effect.void))",
      to: "Effect.flatMap((late) => (late ? Effect.sleep(afterFreeze) : socketsRead))"
    }
  ],
  /** An answer that is compressed although nobody asked for it is thrown away. */
  "compressed answers not read": [
    {
      file: "node/src/internal/contentEncoding.ts",
      from: "if (decoder === undefined)",
      to: "if (decoder === undefined || decoder !== undefined)"
    }
  ],
  /** An answer that breaks off is thrown away, although it holds both tokens. */
  "cut answers not read": [
    {
      file: "core/src/http/Classification.ts",
      from: `if (kind === "auth" && partial !== undefined) {`,
      to: `if (kind === "auth" && partial !== undefined && partial.status === 0) {`
    }
  ],
  /** Tokens are not read if there is other text before them. */
  "JSON and nothing else": [
    {
      file: "core/src/json/jsonPrefix.ts",
      from: "start === -1 ? undefined",
      to: "start !== 0 ? undefined"
    }
  ],
  /** A gateway's 422 or 498 counts as the service's own. */
  "a status ends a session": [
    {
      file: "core/src/http/Classification.ts",
      from: `kind === "auth" ? meaningOfCode(error.body, error.tag) : meaningOf(`,
      to: "meaningOf("
    }
  ],
  /** A validation error of another field counts as one of the token. */
  "any field is the token's": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "return named.length === 0 || named.includes(fields[sent])",
      to: "return true"
    }
  ],
  /** The tokens that an error shows as an example count as new ones. */
  "examples are tokens": [
    {
      file: "core/src/http/Classification.ts",
      from: "answer.status < 400 ?",
      to: "answer.status < 600 ?"
    }
  ],
  /** A text in place of a token counts as one. */
  "placeholders are tokens": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "Schema.String.check(Schema.isPattern(/^(?!\\$?[<[{].*[>\\]}]$)(?!.*\\*{3})./s))",
      to: "Schema.String.check(Schema.isNonEmpty())"
    }
  ],
  /** The claim for an API key already uses it up. */
  "a claim burns the key": [
    {
      file: "authentication/src/refresh/decision.ts",
      from: "spentKeys: record.spentKeys",
      to: "spentKeys: [...record.spentKeys, key.fingerprint]"
    }
  ],
  /** The claim of a key that was not sent is left as it is. */
  "claims are not withdrawn": [
    {
      file: "authentication/src/refresh/lease.ts",
      from: "if (unsent.length === 0) return true",
      to: "if (unsent.length >= 0) return true"
    }
  ],
  /** A lease counts as dead when it was not renewed, although the store took no writes. */
  "taken over without a challenge": [
    {
      file: "authentication/src/session/leaseWatch.ts",
      from: 'return watched >= leaseTimeout * challengeAfter ? "Silent" : "Alive"',
      to: 'return watched >= leaseTimeout ? "Dead" : "Alive"'
    }
  ],
  /** A claimed secret is sent once there is a connection, although the lease has expired meanwhile. */
  "sent after the lease": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "SendProgress.make(mayStart)",
      to: "SendProgress.make()"
    }
  ],
  /** A refresh is given up, and sent again, while the service may still be working on it. */
  "gives up early": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "const tooLate = limitPassed(timeout).pipe(",
      to: `const tooLate = Effect.sleep("5 seconds").pipe(`
    },
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "const grace = Duration.sum(afterFreeze, Duration.seconds(5))",
      to: "const grace = Duration.zero"
    }
  ],
  /** A process whose store has lost the record forgets its session with it. */
  "a deleted record is believed": [
    {
      file: "authentication/src/refresh/decision.ts",
      from: "const newest = Records.withNewest(loaded, local)\n",
      to: "const newest = Records.withNewest(loaded, loaded.session)\n"
    },
    {
      file: "authentication/src/refresh/decision.ts",
      from: `const record = purpose._tag === "Refresh" ? Records.withNewest(newest, purpose.session) : newest`,
      to: "const record = newest"
    }
  ],
  /** A process whose store has lost the record sends its API key again. */
  "a sent key is forgotten with its record": [
    {
      file: "authentication/src/session/sentSecrets.ts",
      from: "(mark === undefined || spentKeys.includes(mark) ? [] : [mark])",
      to: "(mark === undefined || mark !== undefined ? [] : [mark])"
    }
  ],
  /** The time of a slow read is not counted, so that a dead lease is never taken over. */
  "slow looks do not count": [
    {
      file: "authentication/src/refresh/rotation.ts",
      from: "const stored = yield* LeaseWatch.watching(store.load, countWatched)\n    yield* state.update(({ watch }) => ({ watch: LeaseWatch.look(watch, stored) }))",
      to: `const lookedAt = yield* uptime
    const stored = yield* LeaseWatch.watching(store.load, countWatched)
    const isSlow = (yield* uptime) - lookedAt > leaseTimeout / 9
    yield* state.update(({ watch }) => ({ watch: isSlow ? LeaseWatch.unwatched : LeaseWatch.look(watch, stored) }))`
    }
  ],
  /** A Retry-After is obeyed on a 429 alone. */
  "Retry-After of doubt is ignored": [
    {
      file: "authentication/src/refresh/cooldown.ts",
      from: 'response !== undefined && "retryAfter" in response ? response.retryAfter : undefined',
      to: 'response?._tag === "NotSpent" ? response.retryAfter : undefined'
    }
  ],
  /** A long Retry-After is cut short. */
  "Retry-After is capped": [
    {
      file: "authentication/src/refresh/cooldown.ts",
      from: "const maxCooldown = Duration.toMillis(timing.maxCooldown)",
      to: "const maxCooldown = Duration.toMillis(timing.maxCooldown) / 8"
    }
  ]
}

/** Bugs that the simulation of the money has to find. */
export const moneyBugs: Bugs = {
  /** A caller that retries blindly sends a write again whose outcome is unknown. */
  "forgets unknown writes": [
    {
      file: "core/src/call/unknownWrites.ts",
      from: "remembered.set(key, { error, at: now })",
      to: ""
    }
  ],
  /** The history is read from the moment of the call, by a clock that may be ahead of the service's. */
  "the clocks agree": [
    {
      file: "transactions/src/internal/history.ts",
      from: "const from = DateTime.subtractDuration(since, window)",
      to: "const from = since"
    }
  ],
  /** The only row that may be ours is taken for ours, without its note. */
  "the only candidate is ours": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "const noted = candidates.filter(({ transaction }) => hasNote(wanted.note, transaction))",
      to: "const noted = candidates"
    },
    {
      file: "transactions/src/internal/comparison.ts",
      from: "if (only !== undefined && more.length === 0 && only.differences.length === 0) {",
      to: "if (only !== undefined && more.length === 0) {"
    }
  ],
  /** A row with another amount counts as another payment. */
  "another amount excludes": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "const tolerance = 0.1",
      to: "const tolerance = 0"
    },
    {
      file: "transactions/src/internal/comparison.ts",
      from: "return !contains(sent, shown) && (isAnotherNote(sent, shown) || isAnotherAmount(amount, row))",
      to: "return isAnotherNote(sent, shown) || isAnotherAmount(amount, row)"
    }
  ],
  /** A fee counts in the unit of the amount that is shown only. */
  "a fee has the unit of its amount": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "!withFee(sent, fee).some(",
      to: "![sent].some("
    }
  ],
  /** An amount that the service has cut or rounded counts as another one. */
  "amounts have all their decimals": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "isRounded(amount, meant) || ",
      to: ""
    }
  ],
  /** A note that differs in case is taken for ours. */
  "case says nothing": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "trimmed(sent) === trimmed(note)",
      to: "isSame(sent, note)"
    }
  ],
  /** A row that shows the asset by another name counts as another payment. */
  "another name excludes": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "const isAnothers = ({ amount, note: sent }: Wanted, row: Transaction): boolean => {",
      to: `const isAnothers = ({ amount, assetId, note: sent }: Wanted, row: Transaction): boolean => {
  if (row.assetId !== assetId) return true`
    }
  ],
  /** A filter that shows no row is believed. */
  "an empty filter is believed": [
    {
      file: "transactions/src/internal/history.ts",
      from: "query.assetId === undefined && rows.length > 0",
      to: "query.assetId === undefined"
    }
  ],
  /** A history whose rows move is read once. */
  "rows hold still": [
    {
      file: "transactions/src/internal/history.ts",
      from: "const isComplete = rows.length === 0 ||",
      to: "const isComplete = pages.length > 0 ||"
    }
  ],
  /** A note that the service has changed counts as another one. */
  "notes come back unchanged": [
    {
      file: "transactions/src/internal/comparison.ts",
      from: "return !contains(sent, shown) && (isAnotherNote(sent, shown) || isAnotherAmount(amount, row))",
      to: "return !isSame(sent, shown)"
    }
  ],
  /** An error inside a 200 is not read. */
  "a 200 is a success": [
    {
      file: "core/src/endpoint/openEnvelope.ts",
      from: 'return typeof found === "string" ? found : undefined',
      to: "return undefined"
    }
  ],
  /** A flag of a failure inside a 200 is not read. */
  "a flag says nothing": [
    {
      file: "core/src/answer/FalseSuccess.ts",
      from: "value === false || value === 0 ||",
      to: "value === 0 ||"
    },
    {
      file: "core/src/answer/FalseSuccess.ts",
      from: '(name === "success" && value === false) || ',
      to: ""
    }
  ]
}

export const bugs: Bugs = { ...sessionBugs, ...moneyBugs }

const toBytes = (source: unknown): Uint8Array =>
  source instanceof Uint8Array ? source : new TextEncoder().encode(typeof source === "string" ? source : "")

/** Changes the sources as they are loaded from here on. A bug whose place is gone is an error. */
export const plant = (name: string, planted = bugs[name]): void => {
  if (planted === undefined) throw new Error(`no such bug: ${name}`)
  registerHooks({
    load: (url, context, nextLoad) => {
      const loaded = nextLoad(url, context)
      const here = planted.filter(({ file }) =>
        url.endsWith(file.startsWith("test/") ? `/${file}` : `/packages/${file}`)
      )
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
