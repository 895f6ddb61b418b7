/**
 * A process as a function's runtime keeps it: one client over a shared store. Each line of its input is an invocation,
 * which makes one call. The line may name an API key to start a session with.
 */
import { Environment, RetryPolicy, TokenService } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { writeSync } from "node:fs"
import { createInterface } from "node:readline"
import type { Start as StoreStart } from "../kills/protocol.ts"
import { openStore } from "../kills/stores.ts"

export interface Start extends Pick<StoreStart, "key" | "store"> {
  readonly baseUrl: string
  /** `timing.proactive` of the client. */
  readonly proactive: boolean
  /** `true` to run `Custody.settled` at the end of each invocation. */
  readonly settles: boolean
  /** The deadline of each call in milliseconds. */
  readonly deadline: number
}

const say = (tag: string) => void writeSync(1, `${JSON.stringify({ tag })}\n`)

/** Serves invocations until the input ends. */
const serve = async ({ baseUrl, deadline, proactive, settles, ...shared }: Start): Promise<void> => {
  const live = Custody.layer({ environment: Environment.local(baseUrl), timing: { proactive } }).pipe(
    Layer.provide([NodeCustody.layerHttpClient({ reuse: "none" }), await openStore(shared)])
  )
  const invocation = (apiKey: string) =>
    (apiKey === "" ? Effect.void : TokenService.use(({ start }) => start(Redacted.make(apiKey)))).pipe(
      Effect.andThen(RetryPolicy.within(Vaults.details(), deadline)),
      Effect.match({ onFailure: ({ _tag }) => _tag, onSuccess: () => "ok" }),
      Effect.ensuring(settles ? Custody.settled : Effect.void)
    )
  const { runPromise } = ManagedRuntime.make(live)
  say(await runPromise(Effect.succeed("ready")))
  for await (const line of createInterface({ input: process.stdin })) say(await runPromise(invocation(line)))
}

await serve(JSON.parse(process.argv[2]!))
