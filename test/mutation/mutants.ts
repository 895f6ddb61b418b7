/** Small changes to the session's modules, each of which breaks something that was promised. */
export interface Mutant {
  readonly file: string
  readonly from: string
  readonly to: string
}

const inside =
  (file: string) =>
  (from: string, to: string): Mutant => ({ file: `internal/${file}.ts`, from, to })
const planning = inside("decision/onRequest")
const settling = inside("decision/onResponse")
const records = inside("decision/record")
const belief = inside("sessionState")
const pursuit = inside("rotation")
const journal = inside("recordStore")
const flight = inside("singleFlight")
const keeper = inside("sessionWriter")
const reading = inside("tokenResponse")
const resync = inside("unauthorized")
const keys = inside("apiKeys")
const shared = inside("shared")
const state = inside("state")
const ahead = inside("proactiveRefresh")
const session = (from: string, to: string): Mutant => ({ file: "Session.ts", from, to })
const timing = (from: string, to: string): Mutant => ({ file: "SessionTiming.ts", from, to })
const service = (from: string, to: string): Mutant => ({ file: "TokenService.ts", from, to })

export const mutants: ReadonlyArray<Mutant> = [
  session("session.generation > other.generation", "session.generation >= other.generation"),
  session("started > otherStarted", "started < otherStarted"),
  records("record.environment === identity.environment", "true"),
  records("end.generation !== session.generation", "false"),
  planning("if (isTaken(record, event)) ", "if (false) "),
  planning("lease?.owner === owner && !sent && ", "lease?.owner === owner && "),
  planning("intent?.ambiguous === false", "intent !== undefined"),
  planning("const earlier = unsent ? undefined : intent", "const earlier = intent"),
  planning("earlier !== undefined && !purpose.dead", "earlier !== undefined && purpose.dead"),
  planning("now < retryAt && retryAt - now <= longestPause", "retryAt - now <= longestPause"),
  planning(" && retryAt - now <= longestPause", ""),
  planning("since: earlier?.since ?? now,\n    ambiguous", "since: now,\n    ambiguous"),
  planning("ambiguous: earlier !== undefined\n", "ambiguous: false\n"),
  planning("if (spent && !unsent) {", "if (false) {"),
  planning("[...record.spentKeys, key.fingerprint]", "record.spentKeys"),
  records("lease.owner !== owner && !leaseIsDead\n", "lease.owner !== owner && leaseIsDead\n"),
  settling('if (isTaken(record, event)) return { _tag: "Defer" }\n  const held', "const held"),
  settling("const earlier = ours ? event.earlier : (written ?? event.earlier)", "const earlier = event.earlier"),
  settling("record: ours ? released(record, earlier) : undefined", "record: released(record, earlier)"),
  settling("const since = (earlier ?? written)?.since ?? now", "const since = now"),
  settling("...(earlier === undefined ? {} : { retryAt })", ""),
  settling("{ answerLostAt: earlier.since }", "{}"),
  settling("reading.refreshToken ?? from.refreshToken", "reading.refreshToken!"),
  settling("generation: from.generation + 1", "generation: from.generation"),
  settling("sameSecret(refreshToken, from.refreshToken)", "false"),
  settling("startedAt: Math.max(now, (old?.startedAt ?? 0) + 1)", "startedAt: now"),
  settling(
    "spentKeys: record.spentKeys.filter((fingerprint) => fingerprint !== key?.fingerprint)",
    "spentKeys: record.spentKeys"
  ),
  settling("...new Set([...stored.spentKeys, ...ours.spentKeys])", "...ours.spentKeys"),
  settling("!isNewer(ours.session, stored.session)) return undefined", "false) return undefined"),
  pursuit("return seen.watched >= leaseTimeout", "return seen.watched >= 2 * leaseTimeout"),
  belief("if (end === undefined || session === undefined) return record\n", "return record\n"),
  pursuit("if (dead && earlier === undefined) return undefined\n", ""),
  pursuit("dead ? pause(millis, error) : error(yield* DateTime.now)", "pause(millis, error)"),
  pursuit("const isPaused = known.pause !== undefined && ", "const isPaused = false && known.pause !== undefined && "),
  belief("refused.find((one) => sameSecret(one.secret, secret))", "undefined"),
  pursuit("yield* state.note({ sent: secret })\n", ""),
  pursuit('if (reading._tag === "Unchanged") yield* state.note({ sent: undefined })\n', ""),
  pursuit("yield* tellBehind(held, stored)\n", ""),
  pursuit("  }, Effect.uninterruptible)", "  })"),
  pursuit(
    "yield* settle(purpose, reading, earlier, yield* journal.load, false)",
    "yield* settle(purpose, reading, earlier, { version, record }, false)"
  ),
  journal("if (next === undefined) return stored.record.session\n", "if (next === undefined) return undefined\n"),
  journal("Effect.orElseSucceed(() => true)", "Effect.orElseSucceed(() => false)"),
  journal("duration: Duration.Duration = timing.storeTimeout", "duration: Duration.Duration = Duration.hours(9)"),
  flight('if (scope.state._tag === "Closed") return Effect.flatten(settle(Exit.interrupt()))\n', ""),
  flight("if (underWay !== undefined) return restore(Deferred.await(underWay))\n", ""),
  flight("restore(Deferred.await(started))", "Deferred.await(started)"),
  keeper("unstored = record\n", ""),
  keeper("yield* persistLater(record, session)\n", ""),
  keeper("yield* state.note({ isDurable: true })\n", ""),
  reading("&& status !== requestTimeout", ""),
  reading('|| tag === "TokenExpired" || status === 498', ""),
  reading("expiresAt > now && ", ""),
  reading("&& expiresAt < now + longest", ""),
  reading("nonEmpty(refreshToken) ? Redacted.make(refreshToken) : undefined", "Redacted.make(refreshToken as string)"),
  resync("  yield* landed\n", ""),
  resync("if (last !== undefined && loads > before) return Effect.succeed(last)\n", ""),
  resync("if (!settled && usedSince !== undefined && rejectedAt - usedSince < settlesWithin) return undefined\n", ""),
  resync("!isNewer(session, stored)) return yield* recover", "false) return yield* recover"),
  resync("return yield* replace(session)\n", "return Belief.accessToken(session)\n"),
  keys("if (spare !== undefined) return spare\n", ""),
  keys('stage = "none"\n', ""),
  shared("const there = named.get(name)", "const there = undefined as Entry<M, A, E> | undefined"),
  shared("return Scope.close(entry.scope, Exit.void)", "return Effect.void"),
  shared("options.leaving(exit.value)", "Effect.void"),
  state("keyOf(known) === keyOf(session)", "false"),
  state('known === undefined) yield* tell({ _tag: "Lost"', 'true) yield* tell({ _tag: "Lost"'),
  ahead('_tag === "RefreshUnavailable" || _tag === "TokenStoreError"', "true"),
  ahead("Math.max(0, due - (yield* now))", "0"),
  timing("expiresAt - obtainedAt <= shortestAhead", "false"),
  timing("(expiresAt - obtainedAt) / 5", "(expiresAt - obtainedAt)"),
  pursuit("yield* state.note({ refused: Belief.withRefusal(state.known(), { secret, reading, earlier }) })\n", ""),
  belief("!sameSecret(one.secret, session?.refreshToken)", "false"),
  belief("({ ...nothing, gone, refused })", "({ ...nothing, gone })"),
  belief("[...gone.slice(1 - kept), { session, end }]", "[{ session, end }]"),
  resync("< settlesWithin) return undefined", "< settlesWithin && record.lease === undefined) return undefined"),
  resync("rejectedAt - usedSince", "(yield* uptime) - usedSince"),
  resync("isReplaced && !hasEnded", "isReplaced"),
  service("usedSince: yield* uptime,\n", "")
]

/** Changes that nobody can notice, and why: not tried. */
export const equivalents: ReadonlyArray<Mutant & { readonly why: string }> = [
  {
    ...pursuit('if (purpose._tag === "Refresh" && known.end !== undefined) return yield* known.end\n', ""),
    why: "the record is given the end that this process has seen, so that `plan` fails in the same way: one read later"
  }
]
