/**
 * What a call costs in this SDK alone, in microseconds of CPU time: the client that it is given answers at once, without a
 * socket. So the figures are the same from run to run, and show what a change of ours gives.
 *
 * `pnpm bench own`
 */
import * as Sender from "@effect-custody/core/siblings/Sender"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as HttpClient from "effect/http/HttpClient"
import * as UrlParams from "effect/http/UrlParams"
import * as Layer from "effect/Layer"
import { calls, layer } from "../calls/contenders/custody.ts"
import { table } from "../../../tools/docs/tables.ts"
import { ofEffects } from "../calls/contenders/effects.ts"
import { type JobName, jobNames, jobs, session } from "../calls/jobs.ts"

const rounds = 15

const headers = { "content-type": "application/json", connection: "keep-alive" }

const answers = new Map(
  Object.values(jobs).map(({ answer, method, path, status }) => [
    `${method} ${path}`,
    { status, body: Buffer.from(answer), headers }
  ])
)

/** The answer to the start of the session. */
const opened = () => ({ status: 201, body: Buffer.from(session()), headers })

/** Answers with the job's answer, one turn of the event loop later. */
const send: Sender.Send = ({ method, url, urlParams }, token, { onEnd, progress }) => {
  Sender.waiting(progress)
  progress.stage = "Written"
  const query = urlParams.params.length === 0 ? "" : `?${UrlParams.toString(urlParams)}`
  const { body, headers, status } = token === undefined ? opened() : answers.get(`${method} ${url}${query}`)!
  setImmediate(() =>
    onEnd(
      Exit.succeed({
        status,
        headers,
        ending: "Whole",
        cause: undefined,
        text: () => body.toString()
      })
    )
  )
  return Effect.void
}

const unused = HttpClient.make(() => Effect.die("the transport sends through the sender"))
const http = Layer.succeed(
  HttpClient.HttpClient,
  Sender.attach(unused, () => send)
)
const run = await ofEffects(calls, layer("http://127.0.0.1:1", http))
const inFlight = 32
const most = 4

/** The minimum of all rounds: other load on the machine can only make a round more expensive. */
const cost = async (job: JobName): Promise<number> => {
  const count = jobs[job].calls * most
  let least = Number.POSITIVE_INFINITY
  for (let round = -2; round < rounds; round++) {
    const before = process.cpuUsage()
    await run(job, count, inFlight)
    const { system, user } = process.cpuUsage(before)
    if (round >= 0) least = Math.min(least, (user + system) / count)
  }
  return least
}

const costs: Array<string> = []
for (const job of jobNames) costs.push((await cost(job)).toFixed(1))
console.log(table(jobNames, [costs], 0))
process.exit()
