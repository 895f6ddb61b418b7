/** The emulator as a process of its own, and what its control address says. */
import { NodeCustody } from "@effect-custody/node"
import { Effect, Schema, Stream } from "effect"
import { HttpClient, HttpClientResponse } from "effect/http"
import { ChildProcess } from "effect/process"

export const Counts = Schema.Struct({
  requests: Schema.Int,
  refreshes: Schema.Int,
  byOperation: Schema.Record(Schema.String, Schema.Record(Schema.String, Schema.Int))
})
export type Counts = typeof Counts.Type

/** The counts of an emulator that has just been started. */
export const nothing: Counts = { requests: 0, refreshes: 0, byOperation: {} }

const announcement = /(?<baseUrl>http:\/\/\S+)[^]*API key: (?<apiKey>\S+)/

/** Starts the emulator on a free port; it stops with the scope. */
export const start = Effect.gen(function* () {
  const emulator = yield* ChildProcess.make("custody-emulator", ["--port", "0", "--quiet"], { stderr: "inherit" })
  const said = yield* emulator.stdout.pipe(
    Stream.decodeText(),
    Stream.scan(
      () => "",
      (all, more) => all + more
    ),
    Stream.map((all) => announcement.exec(all)?.groups),
    Stream.filter((groups) => groups !== undefined),
    Stream.take(1),
    Stream.runCollect
  )
  const { apiKey, baseUrl } = said[0] as { apiKey: string; baseUrl: string }
  return { apiKey, baseUrl, control: new URL("/emulator", baseUrl).href, pid: emulator.pid }
})

/** The emulator's own counts. */
export const counts = (control: string) =>
  HttpClient.get(`${control}/counts`).pipe(
    Effect.flatMap(HttpClientResponse.schemaBodyJson(Counts)),
    Effect.provide(NodeCustody.layerHttpClient())
  )
