/** The login of a proxy appears in no error, log or span, whatever the proxy answers. */
import { Environment, RetryPolicy, Telemetry } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, TokenStore, Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { rawServer } from "../support/servers/rawServer.ts"
import { everythingSeen } from "../support/worlds/observed.ts"
import { detector } from "./detector.ts"
import { kinds } from "./secrets.ts"

const password = kinds["plain"]!(40, 11)
const user = kinds["plain"]!(20, 12)
const login = `${user}:${password}`
const find = detector([password, user, Buffer.from(login).toString("base64")])

/** Answers that repeat the request, its login, or both. */
const answers: Readonly<Record<string, (request: string) => string>> = {
  "a 407 that repeats the request": (request) =>
    `HTTP/1.1 407 ${login}\r\nproxy-authenticate: Basic realm="${login}"\r\ncontent-length: 999\r\n\r\n${request}`,
  "a 502 page that repeats the login": () => `HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\n\r\n${login}`,
  "a tunnel that begins with the request": (request) => `HTTP/1.1 200 OK\r\n\r\n${request}`,
  "the request itself": (request) => request,
  "a head that repeats the login for ever": () => `HTTP/1.1 200 OK\r\n${`x-login: ${login}\r\n`.repeat(2_000)}`,
  nothing: () => ""
}

describe("the login of a proxy", () => {
  it.live.each(Object.keys(answers))("no error, log or span shows it after %s", (name) =>
    Effect.gen(function* () {
      const proxy = yield* rawServer({ onData: (socket, { text }) => void socket.end(answers[name]!(text)) })
      const client = Custody.layer({
        environment: Environment.emulator("https://127.0.0.1:443/api/integration"),
        apiKey: Redacted.make("one-time-api-key"),
        retry: RetryPolicy.none,
        diagnostics: "bodies"
      }).pipe(
        Layer.provide([
          NodeCustody.layerHttpClient({ proxy: Redacted.make(`http://${login}@127.0.0.1:${proxy.port}`) }),
          TokenStore.layerMemory,
          Telemetry.layer()
        ])
      )
      const program = Effect.provide(Vaults.details(), Layer.fresh(client)).pipe(
        Effect.tapCause((cause) => Effect.logError("it failed", cause))
      )
      const { exit, text } = yield* everythingSeen(program)
      assert.strictEqual(exit._tag, "Failure")
      assert.include(proxy.received(), Buffer.from(login).toString("base64"))
      assert.isUndefined(find(text))
    })
  )
})
