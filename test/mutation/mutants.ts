/** Small changes to the session's modules, each of which breaks something that was promised. */
export interface Mutant {
  readonly file: string
  readonly from: string
  readonly to: string
}

const inside =
  (file: string) =>
  (from: string, to: string): Mutant => ({ file: `internal/${file}.ts`, from, to })
const onRequest = inside("decision/onRequest")
const onResponse = inside("decision/onResponse")
const model = inside("decision/model")
const state = inside("sessionState")
const rotation = inside("rotation")
const cooldown = inside("cooldown")
const store = inside("recordStore")
const lease = inside("lease")
const flight = inside("singleFlight")
const writer = inside("sessionWriter")
const response = inside("tokenResponse")
const unauthorized = inside("unauthorized")
const apiKeys = inside("apiKeys")
const proactive = inside("proactiveRefresh")
const session = (from: string, to: string): Mutant => ({ file: "Session.ts", from, to })
const service = (from: string, to: string): Mutant => ({ file: "TokenService.ts", from, to })

export const mutants: ReadonlyArray<Mutant> = [
  session("session.generation > other.generation", "session.generation >= other.generation"),
  session("started > otherStarted", "started < otherStarted"),
  model("record.environment === identity.environment", "true"),
  model("end.generation !== session.generation", "false"),
  model("lease.owner !== owner && !leaseIsDead", "lease.owner !== owner && leaseIsDead"),
  onRequest("if (isTaken(record, request)) ", "if (false) "),
  onRequest("lease?.owner === owner && !secretInDoubt && ", "lease?.owner === owner && "),
  onRequest("intent?.ambiguous === false", "intent !== undefined"),
  onRequest("const priorIntent = neverSent ? undefined : intent", "const priorIntent = intent"),
  onRequest("priorIntent !== undefined && !accessTokenRejected", "priorIntent !== undefined && accessTokenRejected"),
  onRequest("now < retryAt && retryAt - now <= longestPause", "retryAt - now <= longestPause"),
  onRequest(" && retryAt - now <= longestPause", ""),
  onRequest("since: priorIntent?.since ?? now,\n    ambiguous", "since: now,\n    ambiguous"),
  onRequest("ambiguous: priorIntent !== undefined\n", "ambiguous: false\n"),
  onRequest("if (isSpent && !neverSent) {", "if (false) {"),
  onRequest("[...claim.spentKeys, key.fingerprint]", "claim.spentKeys"),
  onResponse('if (isTaken(record, event)) return { _tag: "Defer" }\n  const newest', "const newest"),
  onResponse(
    "const priorIntent = isOurs ? event.priorIntent : (stored ?? event.priorIntent)",
    "const priorIntent = event.priorIntent"
  ),
  onResponse("record: isOurs ? release(record, priorIntent) : undefined", "record: release(record, priorIntent)"),
  onResponse("const since = (priorIntent ?? stored)?.since ?? now", "const since = now"),
  onResponse("priorIntent !== undefined || response.retryAfter !== undefined", "response.retryAfter !== undefined"),
  onResponse("priorIntent !== undefined || response.retryAfter !== undefined", "priorIntent !== undefined"),
  onResponse("{ answerLostAt: priorIntent.since }", "{}"),
  onResponse("tokens.refreshToken ?? from.refreshToken", "tokens.refreshToken!"),
  onResponse("generation: from.generation + 1", "generation: from.generation"),
  onResponse("sameSecret(refreshToken, from.refreshToken)", "false"),
  onResponse("startedAt: Math.max(now, (old?.startedAt ?? 0) + 1)", "startedAt: now"),
  onResponse(
    "spentKeys: record.spentKeys.filter((fingerprint) => fingerprint !== key?.fingerprint)",
    "spentKeys: record.spentKeys"
  ),
  onResponse("...new Set([...stored.spentKeys, ...ours.spentKeys])", "...ours.spentKeys"),
  onResponse("!isNewer(ours.session, stored.session)) return undefined", "false) return undefined"),
  rotation("watched.unchangedFor >= leaseTimeout", "watched.unchangedFor >= 2 * leaseTimeout"),
  cooldown("if (priorIntent === undefined) return undefined\n", ""),
  cooldown("if (retryAfterOf(response) === undefined) {", "if (true) {"),
  cooldown(
    'if (purpose._tag === "Refresh" && !purpose.accessTokenRejected) return yield* error(yield* DateTime.now)\n',
    ""
  ),
  rotation("const paused = known.pause !== undefined && ", "const paused = false && known.pause !== undefined && "),
  rotation("secretInDoubt: secret, ", ""),
  rotation(
    'if (sent.result._tag === "NotSpent") yield* state.update({ secretInDoubt: undefined, unsent })\n    else ',
    ""
  ),
  rotation("yield* reportStoreBehind(local.generation, stored)\n", ""),
  rotation("  }, Effect.uninterruptible)", "  })"),
  rotation(
    "yield* apply(purpose, response, priorIntent, false, yield* store.load)",
    "yield* apply(purpose, response, priorIntent, false, sent.stored)"
  ),
  rotation("yield* state.update(SessionState.rejected({ secret, response, priorIntent }))\n", ""),
  store("if (next === undefined) return stored.record.session\n", "if (next === undefined) return undefined\n"),
  store("duration: Duration.Duration = timing.storeTimeout", "duration: Duration.Duration = Duration.hours(9)"),
  lease("Effect.orElseSucceed(() => true)", "Effect.orElseSucceed(() => false)"),
  flight('if (scope.state._tag === "Closed") return complete(result, Exit.interrupt())\n', ""),
  flight("now.rotation === undefined ? [own, { ...now, rotation: own }] : [now.rotation, now]", "[own, now]"),
  flight("restore(Deferred.await(result))", "Deferred.await(result)"),
  writer("yield* state.update({ unstored: record })\n", ""),
  writer("yield* writeLater(record, session)\n", ""),
  writer("yield* state.update({ isDurable: true })\n", ""),
  response("expiresAt > now && ", ""),
  response("&& expiresAt < now + longestLifetime", ""),
  response(
    "isToken(refreshToken) ? Redacted.make(String(refreshToken)) : undefined",
    "Redacted.make(String(refreshToken))"
  ),
  unauthorized("  yield* idle\n", ""),
  unauthorized("if (reads.last !== undefined && reads.count > asked.count) return reads.last\n", ""),
  unauthorized(
    "if (!isSecondLook && usedSince !== undefined && rejectedAt - usedSince < activation) return undefined\n",
    ""
  ),
  unauthorized("!isNewer(session, stored)) return yield* recover", "false) return yield* recover"),
  unauthorized("return yield* replace(session)\n", "return SessionState.accessToken(session)\n"),
  unauthorized("< activation) return undefined", "< activation && record.lease === undefined) return undefined"),
  unauthorized("rejectedAt - usedSince", "(yield* uptime) - usedSince"),
  unauthorized("isReplaced && !hasEnded", "isReplaced"),
  apiKeys("[given, cached, fetched]", "[given, fetched]"),
  apiKeys("[given, cached, fetched]", "[given, cached]"),
  state("keyOf(current) === keyOf(session)", "false"),
  state('known === undefined) {\n      yield* publish({ _tag: "Lost"', 'true) {\n      yield* publish({ _tag: "Lost"'),
  state("if (end === undefined || session === undefined) return record\n", "return record\n"),
  state("rejectedSecrets.find((one) => sameSecret(one.secret, secret))", "undefined"),
  state("!sameSecret(one.secret, session?.refreshToken)", "false"),
  state("      outage: undefined,\n", "      outage: undefined,\n      endedSessions: [],\n"),
  state("[...endedSessions.slice(1 - rememberedAtMost), { session, end }]", "[{ session, end }]"),
  proactive('_tag === "RefreshUnavailable" || _tag === "TokenStoreError"', "true"),
  proactive("Math.max(0, due - (yield* now))", "0"),
  proactive("expiresAt - obtainedAt <= shortestLifetime", "false"),
  proactive("(expiresAt - obtainedAt) / 5", "(expiresAt - obtainedAt)"),
  service("usedSince: yield* uptime, ", "")
]

/** Changes that nobody can notice, and why: not tried. */
export const equivalents: ReadonlyArray<Mutant & { readonly why: string }> = [
  {
    ...rotation("if (known.end !== undefined) return yield* known.end\n", ""),
    why: "the record is given the end that this process has seen, so `onRequest` fails in the same way: one read later"
  }
]
