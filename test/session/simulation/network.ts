/**
 * The two authentication endpoints for one process over an unreliable network, with the client's own transport and its own
 * reading of a connection.
 */
import * as Sender from "@effect-custody/core/siblings/Sender"
import { Transport } from "@effect-custody/core/siblings/Transport"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Zlib from "node:zlib"
import { Exchange } from "../../../packages/node/src/internal/exchange.ts"
import type { Kind } from "./faults.ts"
import type { Process } from "./kernel.ts"
import { inDoubt, notProcessed, type Pair, type StatusAnswer } from "./service.ts"
import { environment, leaseTimeout, checkRefresh, refusal, type World } from "./world.ts"

/** The data that arrives on the connection. */
interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly ending: "Whole" | "Reset" | "Silence"
}

/** The fault of a request in all its details. */
interface Mishap {
  readonly kind: Kind | undefined
  /** The replaced answer. */
  readonly said: StatusAnswer | undefined
  readonly encoding: string | undefined
  readonly ending: Answer["ending"]
  readonly oddity: keyof typeof oddities | undefined
  /** The latency of the request and of the answer. `Infinity`: no answer. */
  readonly there: number
  readonly back: number
}

/** `true` if the request reaches the service. */
const acts = ({ kind }: Mishap): boolean =>
  kind !== "request refused" && kind !== "request lost" && kind !== "in doubt before" && kind !== "not processed"

/** `true` if both tokens arrive when there are any. */
const arrives = ({ kind }: Mishap): boolean =>
  kind === undefined || kind.startsWith("answer ")
    ? kind !== "answer lost"
    : kind === "frozen answer" || kind === "endpoint slow" || kind === "writes stop" || kind === "connect slow"

const drawn = ({ chance, faults, requestTimeout }: World, where: string): Mishap => {
  const kind = faults.draw(
    where,
    "request refused",
    "request lost",
    "answer lost",
    "answer slow",
    "no answer",
    "in doubt before",
    "in doubt after",
    "not processed",
    "garbage",
    "no refresh token",
    "answer encoded",
    "answer cut late",
    "answer odd",
    "frozen answer",
    "endpoint slow",
    "writes stop",
    "connect slow"
  )
  const slow = kind === "endpoint slow" ? requestTimeout * faults.form([0.2, 0.5, 0.8]) : 0
  const isSlowThere = slow > 0 && faults.form([true, false])
  return {
    kind,
    said:
      kind === "not processed"
        ? faults.form(notProcessed)
        : kind === "in doubt before" || kind === "in doubt after"
          ? faults.form(inDoubt)
          : undefined,
    encoding: kind === "answer encoded" ? faults.form(["gzip", "br", "deflate"]) : undefined,
    ending: kind === "answer cut late" ? faults.form(["Reset", "Silence"] as const) : "Whole",
    oddity: kind === "answer odd" ? faults.form(["text after", "text before", "no envelope"] as const) : undefined,
    there: chance.between(1, 60) + (isSlowThere ? slow : 0),
    back:
      kind === "no answer"
        ? Infinity
        : chance.between(1, 60) + (kind === "answer slow" ? 3_000 : 0) + (isSlowThere ? 0 : slow)
  }
}

const encoders: Readonly<Record<string, (body: Buffer) => Buffer>> = {
  gzip: (body) => Zlib.gzipSync(body),
  br: (body) => Zlib.brotliCompressSync(body),
  deflate: (body) => Zlib.deflateSync(body)
}

const answered = (status: number, text: string, retryAfter?: number): Answer => ({
  status,
  headers: retryAfter === undefined ? {} : { "retry-after": String(retryAfter / 1_000) },
  body: Buffer.from(text),
  ending: "Whole"
})

const saying = ({ code, example, fields = [], retryAfter, status }: StatusAnswer): Answer => {
  if (example !== undefined) {
    const [accessToken, refreshToken] = example
    return answered(status, JSON.stringify({ data: { accessToken, refreshToken } }), retryAfter)
  }
  if (code === undefined) return answered(status, "<html>", retryAfter)
  const body = refusal(status, code)
  const errors = { ...body.errors, ...Object.fromEntries(fields.map((field) => [field, ["is wrong"]])) }
  return answered(status, JSON.stringify({ ...body, errors }), retryAfter)
}

/** The oddities of an answer with both tokens. */
const oddities = {
  "no envelope": (text: string) => JSON.stringify(JSON.parse(text).data),
  "text after": (text: string) => `${text}\n<!-- proxy -->`,
  "text before": (text: string) => `)]}',\n${text}`
}

/** Applies a mishap to the answer of the service. */
const makeAnswer = ({ encoding, ending, kind, oddity }: Mishap, pair: Pair | undefined, isStart: boolean): Answer => {
  if (kind === "garbage") return answered(201, '{"data":{"acc')
  if (pair === undefined) return saying(isStart ? { status: 400, code: "E00401" } : { status: 401, code: "E01402" })
  const { accessToken, expiresAt, refreshToken } = pair
  const tokens = kind === "no refresh token" ? { accessToken } : { accessToken, refreshToken }
  const status = 201
  const text = JSON.stringify({ data: { ...tokens, expiresAt, vaultId: 7 }, message: "ok", status })
  const whole = oddity === undefined ? text : oddities[oddity](text)
  if (ending !== "Whole") {
    const upToTokens = text.slice(0, text.indexOf("}") + 1)
    return { ...answered(status, upToTokens), headers: { "content-length": "4000" }, ending }
  }
  if (encoding === undefined) return answered(status, whole)
  return {
    ...answered(status, ""),
    headers: { "content-encoding": encoding },
    body: encoders[encoding]!(Buffer.from(whole))
  }
}

const broken = (code: string, syscall: string) => Object.assign(new Error(code), { code, syscall })

type Controller = Parameters<Exchange["onRequestStart"]>[0]

const decoder = new TextDecoder()

/** The freeze of the host, longer than the time limit of a request in most runs. */
const frozen = { from: 5_500, to: 8_000 }
/** The second freeze after a short break, longer than the wait for an answer after a freeze. */
const frozenAgain = 31_000
/** The end of the time for two freezes. Later, the rest of the run is too short. */
const early = 10_000

const freezeHost = (world: World, millis: number): void => {
  const { kernel } = world
  world.frozenUntil = kernel.time + millis
  for (const process of world.processes) if (process.isAlive) kernel.freeze(process, millis)
}

const maxAnswerBytes = 256 * 1024

/** Plays one request of a process with all its effects. Returns the function with which its client gives it up. */
export const playExchange = (
  world: World,
  process: Process,
  request: HttpClientRequest.HttpClientRequest,
  { onEnd, progress }: Pick<Sender.Caller, "onEnd" | "progress">
): (() => void) => {
  const { chance, kernel, service } = world
  const body = request.body._tag === "Uint8Array" ? JSON.parse(decoder.decode(request.body.body)) : {}
  const isStart = request.url.includes("generate-tokens")
  const token: string = isStart ? body.apiKey : body.refreshToken
  const mishap = drawn(world, `${process.name} ${isStart ? "start" : "refresh"}`)
  const { back, kind, said, there } = mishap
  let sent: ReturnType<typeof checkRefresh> | undefined

  if (kind === "writes stop") {
    const millis = world.faults.form([0.5, 1.5, 3, 6]) * leaseTimeout
    world.writesStop = { until: kernel.time + millis, isSilent: world.faults.form([true, false]) }
    world.log(() => `the store takes no writes for ${millis} ms`)
  }

  const handler = new Exchange(progress, maxAnswerBytes, (ended) => onEnd(Exit.succeed(ended)))
  let isClosed = false
  const heard = () => {
    if (sent !== undefined) sent.isAwaited = false
  }
  const controller = {
    abort: () => {
      isClosed = true
      heard()
    }
  } as unknown as Controller
  const read = (answer: Answer | undefined, rotation: World["service"]["rotations"][number] | undefined) => () => {
    if (isClosed) return
    isClosed = true
    heard()
    if (answer === undefined) {
      const refused = kind === "request refused"
      return handler.onResponseError(
        controller,
        broken(refused ? "ECONNREFUSED" : "ECONNRESET", refused ? "connect" : "read")
      )
    }
    // An API key that was refused before it reached the service can be sent again.
    if (isStart && kind === "not processed") world.sentKeys.delete(token)
    if (sent !== undefined && said?.retryAfter !== undefined) sent.notBefore = kernel.time + said.retryAfter
    if (sent !== undefined && rotation === undefined && acts(mishap) && arrives(mishap)) sent.wasRefused = true
    handler.onResponseStart(controller, answer.status, answer.headers)
    handler.onResponseData(controller, answer.body)
    if (answer.ending === "Whole") handler.onResponseEnd()
    if (answer.ending === "Reset") handler.onResponseError(controller, broken("ECONNRESET", "read"))
    // The client still waits for an answer that does not end.
    if (answer.ending === "Silence") isClosed = false
  }

  /** Writes the first byte, unless the request was given up before. */
  const begin = () => {
    if (kind !== "request refused") handler.onRequestStart(controller)
    if (isClosed) return handler.onResponseError(controller, broken("ECONNRESET", "connect"))
    if (isStart) {
      const sender = world.sentKeys.get(token)
      // A store without its record has lost the keys. A process still knows the keys that it sent.
      if (sender !== undefined && (!world.wasRestored || sender === process)) {
        world.violations.push(`I2: ${process.name} sends ${token} again`)
      }
      if (kind !== "request refused") world.sentKeys.set(token, process)
    } else sent = checkRefresh(world, process, token)
    world.log(() => `${process.name} sends ${token}${kind === undefined ? "" : ` (${JSON.stringify(mishap)})`}`)
    if (sent !== undefined && kind !== "request refused" && kind !== "request lost" && kind !== "not processed") {
      sent.mayHaveActed = true
    }
    if (sent !== undefined && acts(mishap)) sent.isUnderWay = true
    if (world.faults.draw(process.name, "replaced meanwhile") !== undefined) {
      kernel.after(chance.between(0, Math.min(there + back, 3_000)), () => world.replaceRecord())
    }
    kernel.after(there, () => {
      const by = process.name
      const before = service.rotations.length
      const pair = !acts(mishap) ? undefined : isStart ? service.start(token, by) : service.rotate(token, by)
      world.counted.rotations += isStart ? 0 : service.rotations.length - before
      world.log(() => `service: ${token} from ${by}: ${pair === undefined ? "no" : pair.refreshToken}`)
      if (sent !== undefined) sent.isUnderWay = false
      let arrival = back
      if (kind === "frozen answer") {
        const millis = chance.between(frozen.from, frozen.to)
        const later = world.faults.form(["answered meanwhile", "answered afterwards", "frozen again"])
        // The service answers in the freeze, or soon after it.
        if (later === "answered afterwards") arrival += millis
        freezeHost(world, millis)
        if (later === "frozen again" && kernel.time < early) {
          const awake = chance.between(100, 2_000)
          kernel.after(millis + awake, () => freezeHost(world, frozenAgain))
          // The service answers in the second freeze.
          arrival += millis + awake + chance.between(0, frozenAgain)
        }
      }
      if (!Number.isFinite(arrival)) return
      const rotation = pair === undefined ? undefined : service.rotations.at(-1)
      kernel.after(arrival, () => {
        if (rotation !== undefined && arrives(mishap) && process.isAlive) rotation.isDelivered = true
      })
      const isLost = kind === "request refused" || kind === "request lost" || kind === "answer lost"
      const answer = isLost ? undefined : said === undefined ? makeAnswer(mishap, pair, isStart) : saying(said)
      kernel.arrives(arrival, process, read(answer, rotation))
    })
  }

  if (kind === "connect slow") {
    world.log(() => `${process.name} connects slowly`)
    if (world.faults.form([true, false])) {
      const millis = world.faults.form([1.5, 3]) * leaseTimeout
      kernel.after(1, () => (process.isAlive ? kernel.pause(process, millis) : undefined))
    }
    kernel.after(world.faults.form([0.3, 1.5]) * leaseTimeout, begin, process)
  } else begin()
  return () => handler.interrupt()
}

/** Makes the transport of one process. Its requests go the way of Node's client, through a sender. */
export const makeTransport = (world: World, process: Process) =>
  Transport.layer({ environment, limits: { attemptTimeout: Duration.millis(world.requestTimeout) } }).pipe(
    Layer.provide(
      Layer.succeed(
        HttpClient.HttpClient,
        Sender.attach(
          HttpClient.make(() => Effect.die("a request that does not go through the sender")),
          () => (request, _, caller) => {
            const giveUp = playExchange(world, process, request, caller)
            return Effect.sync(giveUp)
          }
        )
      )
    )
  )
