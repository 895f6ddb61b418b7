/** Typical bugs. Tests plant them to check that the simulations find them. */
import { registerHooks } from "node:module"

interface Bug {
  readonly file: string
  readonly from: string
  readonly to: string
}

export type Bugs = Readonly<Record<string, ReadonlyArray<Bug>>>

/** Bugs that the simulation of sessions must find. */
export const sessionBugs: Bugs = {
  /** A process that its runtime freezes between calls begins refreshes in the background, and is frozen in the middle. */
  "background refresh before a freeze": [
    {
      file: "authentication/src/refresh/proactiveRefresh.ts",
      from: "if (!timing.proactive) return",
      to: "if (false) return"
    },
    {
      file: "authentication/src/service/TokenServiceLayer.ts",
      from: "settled: Effect.andThen(flight.settled, writer.settled)",
      to: "settled: Effect.void"
    }
  ],
  /** A process is frozen while its refresh is under way, because its caller has given up. */
  "frozen before it settled": [
    {
      file: "authentication/src/service/TokenServiceLayer.ts",
      from: "settled: Effect.andThen(flight.settled, writer.settled)",
      to: "settled: Effect.void"
    }
  ],
  /** A process refreshes its remembered token without reading the store first. */
  "no re-read": [
    {
      file: "authentication/src/refresh/decision.ts",
      from: "const record = withMarks(stored.record, known)",
      to: `const { environment, session: found, spentKeys } = stored.record
  const session = liveSession(known) ?? found
  const record = session === undefined ? stored.record : { environment, spentKeys, session }`
    }
  ],
  /** A process forgets that a refresh token was refused, and sends the token again after a restored backup. */
  "refused again": [
    {
      file: "authentication/src/session/sessionState.ts",
      from: "{ ...one, refusal }",
      to: "one"
    }
  ],
  /** A code or a 4xx decides a refresh, from any sender. */
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
  /** A process uses new tokens before they are stored. */
  "publish first": [
    {
      file: "authentication/src/refresh/sessionWriter.ts",
      from: "const written = yield* Effect.result(",
      to: `yield* state.use(session, true, { _tag: event, generation: session.generation })
      const written = yield* Effect.result(`
    }
  ],
  /** A process deletes the session after a rejected refresh token. */
  "loser deletes": [
    {
      file: "authentication/src/refresh/responseDecision.ts",
      from: "const ended: SessionRecord = { ...Records.release(newest, undefined), end }",
      to: `const { session: _, ...ended }: SessionRecord = { ...Records.release(newest, undefined), end }`
    },
    {
      file: "authentication/src/refresh/responseDecision.ts",
      from: 'return { _tag: "End", record: ended, error: Records.endReason(identity, ended, response.support)! }',
      to: 'return { _tag: "End", record: ended, error: Records.endReason(identity, { ...ended, session: from })! }'
    }
  ],
  /** A time limit that passed during a freeze counts although the answer has arrived. */
  "answer not read after a freeze": [
    {
      file: "core/src/http/timeLimit.ts",
      from: "Effect.andThen(limitPassed(duration), effect)",
      to: "Effect.andThen(Effect.sleep(duration), effect)"
    }
  ],
  /** The wait after a freeze ends even if its end was in another freeze. */
  "given up in a second freeze": [
    {
      file: "core/src/http/timeLimit.ts",
      from: "Effect.tap(socketsRead),\n      Effect.flatMap((late) => (late ? limitPassed(afterFreeze, punctualAgain) : Effect.void))",
      to: "Effect.flatMap((late) => (late ? Effect.sleep(afterFreeze) : socketsRead))"
    }
  ],
  /** A process drops an answer with an unrequested compression. */
  "compressed answers not read": [
    {
      file: "node/src/internal/contentEncoding.ts",
      from: "if (decoder === undefined)",
      to: "if (decoder === undefined || decoder !== undefined)"
    }
  ],
  /** A process drops an incomplete answer although it holds both tokens. */
  "cut answers not read": [
    {
      file: "core/src/http/Classification.ts",
      from: `kind === "auth" ? answer.partial`,
      to: `kind === "auth" && answer.partial?.status === 0 ? answer.partial`
    }
  ],
  /** A process reads no tokens after other text. */
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
  /** A validation error of another field counts as an error of the token. */
  "any field is the token's": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "return named.length === 0 || named.includes(fields[sent])",
      to: "return true"
    }
  ],
  /** The example tokens in an error count as new tokens. */
  "examples are tokens": [
    {
      file: "core/src/http/Classification.ts",
      from: "return status < 400 ?",
      to: "return status < 600 ?"
    }
  ],
  /** A placeholder counts as a token. */
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
  /** A process does not withdraw the claim of an unsent key. */
  "claims are not withdrawn": [
    {
      file: "authentication/src/refresh/lease.ts",
      from: "if (unsent.length === 0) return true",
      to: "if (unsent.length >= 0) return true"
    }
  ],
  /** A lease without a renewal counts as dead although the store refused writes. */
  "taken over without a challenge": [
    {
      file: "authentication/src/session/leaseWatch.ts",
      from: 'return watched >= leaseTimeout * challengeAfter ? "Silent" : "Alive"',
      to: 'return watched >= leaseTimeout ? "Dead" : "Alive"'
    }
  ],
  /** A process sends a claimed secret after its lease has expired. */
  "sent after the lease": [
    {
      file: "authentication/src/endpoint/tokenEndpoint.ts",
      from: "SendProgress.make(mayStart)",
      to: "SendProgress.make()"
    }
  ],
  /** A process repeats a refresh while the service may still work on it. */
  "gives up early": [
    {
      file: "core/src/http/Transport.ts",
      from: "runAfterFreezes(fiber, limit.after, late)",
      to: "runAfterFreezes(fiber, Duration.seconds(5), late)"
    }
  ],
  /** A process whose store has lost the record forgets its session with it. */
  "a deleted record is believed": [
    {
      file: "authentication/src/refresh/decision.ts",
      from: "const newest = Records.withNewest(unmarked, local)\n",
      to: "const newest = Records.withNewest(unmarked, loaded.session)\n"
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
      file: "authentication/src/session/sessionState.ts",
      from: "(mark === undefined || spentKeys.includes(mark) ? [] : [mark])",
      to: "(mark === undefined || mark !== undefined ? [] : [mark])"
    }
  ],
  /** The time of a slow read does not count, so that a dead lease is never taken over. */
  "slow looks do not count": [
    {
      file: "authentication/src/refresh/rotation.ts",
      from: "const stored = yield* watching(context, store.load)\n  yield* state.update(({ watch }) => ({ watch: LeaseWatch.look(watch, stored) }))",
      to: `const lookedAt = yield* uptime
  const stored = yield* watching(context, store.load)
  const isSlow = (yield* uptime) - lookedAt > looker.leaseTimeout / 9
  yield* state.update(({ watch }) => ({ watch: isSlow ? LeaseWatch.unwatched : LeaseWatch.look(watch, stored) }))`
    }
  ],
  /** Only the `Retry-After` of a 429 counts. */
  "Retry-After of doubt is ignored": [
    {
      file: "authentication/src/refresh/pause.ts",
      from: 'response !== undefined && "retryAfter" in response ? response.retryAfter : undefined',
      to: 'response?._tag === "NotSpent" ? response.retryAfter : undefined'
    }
  ],
  /** A long `Retry-After` is shortened. */
  "Retry-After is capped": [
    {
      file: "authentication/src/refresh/pause.ts",
      from: "Duration.toMillis(timing.maxCooldown))",
      to: "Duration.toMillis(timing.maxCooldown) / 8)"
    }
  ]
}

/** Bugs that the simulation of money must find. */
export const moneyBugs: Bugs = {
  /** A caller that retries blindly repeats a write with an unknown outcome. */
  "forgets unknown writes": [
    {
      file: "core/src/call/unknownWrites.ts",
      from: "remembered.set(key, { error, at: now })",
      to: ""
    }
  ],
  /** The history is read from the time of the call, by a clock that may be ahead of the service. */
  "the clocks agree": [
    {
      file: "transactions/src/reconciliation/HistorySearch.ts",
      from: "from: DateTime.subtractDuration(since, window)",
      to: "from: since"
    }
  ],
  /** The only candidate counts as found without its note. */
  "the only candidate is ours": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "const noted = candidates.filter(({ transaction }) => hasNote(wanted.note, transaction))",
      to: "const noted = candidates"
    },
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "if (only !== undefined && more.length === 0 && only.differences.length === 0) {",
      to: "if (only !== undefined && more.length === 0) {"
    }
  ],
  /** A row with another amount counts as another payment. */
  "another amount excludes": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "const tolerance = 0.1",
      to: "const tolerance = 0"
    },
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "return !contains(sent, shown) && (isAnotherNote(sent, shown) || isAnotherAmount(amount, row))",
      to: "return isAnotherNote(sent, shown) || isAnotherAmount(amount, row)"
    }
  ],
  /** A fee counts only in the unit of the shown amount. */
  "a fee has the unit of its amount": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "!withFee(sent, fee).some(",
      to: "![sent].some("
    }
  ],
  /** A truncated or rounded amount counts as another amount. */
  "amounts have all their decimals": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "isRounded(amount, meant) || ",
      to: ""
    }
  ],
  /** A note in another case counts as the sent note. */
  "case says nothing": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "trim(sent) === trim(note)",
      to: "isSame(sent, note)"
    }
  ],
  /** A row with another name of the asset counts as another payment. */
  "another name excludes": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "const isAnothers = ({ amount, note: sent }: Wanted, row: Transaction): boolean => {",
      to: `const isAnothers = ({ amount, assetId, note: sent }: Wanted, row: Transaction): boolean => {
  if (row.assetId !== assetId) return true`
    }
  ],
  /** An empty filtered history counts as complete. */
  "an empty filter is believed": [
    {
      file: "transactions/src/reconciliation/HistorySearch.ts",
      from: "rows.length > 0 && isProven(query)",
      to: "query.assetId === undefined"
    }
  ],
  /** A history with moving rows is read only once. */
  "rows hold still": [
    {
      file: "transactions/src/reconciliation/HistorySearch.ts",
      from: "const isComplete = rows.length === 0 ||",
      to: "const isComplete = pages.length > 0 ||"
    }
  ],
  /** A changed note counts as another note. */
  "notes come back unchanged": [
    {
      file: "transactions/src/reconciliation/Comparison.ts",
      from: "return !contains(sent, shown) && (isAnotherNote(sent, shown) || isAnotherAmount(amount, row))",
      to: "return !isSame(sent, shown)"
    }
  ],
  /** An error inside a 200 is not read. */
  "a 200 is a success": [
    {
      file: "core/src/endpoint/AssumedWire.ts",
      from: "if (refusal !== undefined) return",
      to: "if (refusal === '') return"
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

/** Bugs that the simulation of the ledger must find. */
export const ledgerBugs: Bugs = {
  /** What may have been sent is sent again. */
  "an unknown payout is ready": [
    {
      file: "ledger/src/payouts/Transitions.ts",
      from: 'expired: { from: ["sending"], to: "unknown" }',
      to: 'expired: { from: ["sending"], to: "ready" }'
    }
  ],
  /** An answer that was lost counts as a request that was not sent. */
  "a lost answer is no payment": [
    {
      file: "ledger/src/payouts/sendOutcome.ts",
      from: 'return { step: "lost", detail: outcome.error.message',
      to: 'return { step: "notSent", detail: outcome.error.message'
    }
  ],
  /** A process that slept sends after its intent has expired. */
  "an intent does not expire": [
    {
      file: "ledger/src/worker/sender.ts",
      from: "return now >= wall && Math.max(now - wall, passed) < validity",
      to: "return now + passed + validity > 0"
    }
  ],
  /** A step applies to whatever the payout has become. */
  "no compare-and-swap": [
    {
      file: "ledger/src/payouts/settle.ts",
      from: "p.attempt = d.attempt AND d.from_states LIKE '%|' || p.state || '|%'",
      to: "d.attempt = d.attempt"
    }
  ],
  /** Payouts that nothing tells apart are sent at once. */
  "no guard of twins": [
    {
      file: "ledger/src/worker/claim.ts",
      from: "(${echoed} OR NOT EXISTS (SELECT 1 FROM payouts o WHERE o.guard = payouts.twin))",
      to: "1 = 1"
    },
    {
      file: "ledger/src/worker/claim.ts",
      from: "guard = CASE WHEN ${echoed} THEN NULL ELSE p.twin END",
      to: "guard = NULL"
    },
    {
      file: "ledger/src/worker/claim.ts",
      from: "(of_twins = 1 OR ${echoed})",
      to: "1 = 1"
    }
  ],
  /** A history without rows under a filter counts as complete. */
  "an empty filter is believed": [
    {
      file: "ledger/src/history/readHistory.ts",
      from: "if (count === 0) yield* pages({})",
      to: ""
    },
    {
      file: "transactions/src/reconciliation/HistorySearch.ts",
      from: "const isProof = rows.length > 0 && isProven(query)",
      to: "const isProof = query.assetId === undefined"
    }
  ],
  /** A payout is sent that a row of the history may be. */
  "no suspicion": [
    {
      file: "ledger/src/payouts/foreign.ts",
      from: "AND state = 'ready' AND suspect IS NOT NULL",
      to: "AND state = 'none' AND suspect IS NOT NULL"
    }
  ],
  /** A worker sends before it has compared the ledger with the history. */
  "no comparison after a change": [
    {
      file: "ledger/src/worker/run.ts",
      from: "let mustCompare = true",
      to: "let mustCompare = false"
    },
    {
      file: "ledger/src/database/identity.ts",
      from: "const known = sql`(SELECT value FROM payout_meta WHERE name = 'database') = ${identityOf(database)}`",
      to: "const known = sql`true`"
    }
  ],
  /** The payouts are not compared with the rows of the history that no payout owns. */
  "a foreign row is never compared": [
    {
      file: "ledger/src/worker/compare.ts",
      from: "yield* Foreign.compareAllUnsent(database, settings.worker)",
      to: ""
    }
  ]
}

export const bugs: Bugs = { ...sessionBugs, ...moneyBugs }

const toBytes = (source: unknown): Uint8Array =>
  source instanceof Uint8Array ? source : new TextEncoder().encode(typeof source === "string" ? source : "")

/** Plants a bug in the sources that are loaded afterwards. Fails if the place of the bug is gone. */
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
