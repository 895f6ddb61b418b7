/**
 * What a program could write for one call instead of an SDK: one dispatch of undici and the same schemas, with a token
 * from a `Ref` and one deadline. Nothing is sent again, and its errors do not say what was sent.
 */
import * as Declaration from "@effect-custody/core/unstable/Declaration"
import { Transactions, Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Ref from "effect/Ref"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { type Dispatcher, Pool } from "undici"
import { type Contender, opened } from "../Contender.ts"
import { accessToken, basePath, type JobName, jobs } from "../jobs.ts"
import { ofEffects } from "./effects.ts"

interface Answer {
  readonly status: number
  readonly text: string
}

const token = Ref.makeUnsafe(accessToken)

const exchange = (pool: Pool, name: JobName) => {
  const { body, method, path } = jobs[name]
  return Effect.callback<Answer, Error>((resume) => {
    let controller: Dispatcher.DispatchController | undefined
    let status = 0
    const chunks: Array<Buffer> = []
    pool.dispatch(
      {
        path: basePath + path,
        method,
        headers: {
          accept: "application/json",
          "x-access-token": Ref.getUnsafe(token),
          ...(body === undefined ? {} : { "content-type": "application/json" })
        },
        body: body === undefined ? null : JSON.stringify(body)
      },
      {
        onRequestStart(started) {
          controller = started
        },
        onResponseStart(_, code) {
          status = code
        },
        onResponseData(_, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          resume(Effect.succeed({ status, text: Buffer.concat(chunks).toString() }))
        },
        onResponseError(_, error) {
          resume(Effect.fail(error))
        }
      }
    )
    return Effect.sync(() => controller?.abort(new Error("interrupted")))
  })
}

const decode = (endpoint: Declaration.Declaration) =>
  Schema.decodeUnknownResult(Declaration.envelope(endpoint) as Schema.Top as Schema.Codec<unknown, unknown>)

const decoders = {
  read: decode(Vaults.details),
  write: decode(Transactions.send),
  refusal: (body: unknown) => Result.try(() => opened.refusal(body)),
  list: decode(Transactions.list)
} satisfies Record<JobName, (body: unknown) => Result.Result<unknown, unknown>>

export const lean: Contender = (origin) => {
  const pool = new Pool(origin, { connections: 64, pipelining: 1 })
  const call = (name: JobName) =>
    exchange(pool, name).pipe(
      Effect.flatMap(({ status, text }) =>
        status === jobs[name].status
          ? Effect.fromResult<unknown, unknown>(decoders[name](JSON.parse(text)))
          : Effect.die(`HTTP ${status}`)
      ),
      Effect.timeout("120 seconds")
    )
  return ofEffects(
    { read: call("read"), write: call("write"), refusal: call("refusal"), list: call("list") },
    Layer.empty
  )
}
