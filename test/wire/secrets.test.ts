import { Authentication } from "@effect-custody/authentication"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Redacted from "effect/Redacted"
import { everythingSeen, printed } from "../support/worlds/observed.ts"
import { against, details, serverWithSession, transports } from "../support/clients/wireClient.ts"
import { type Answer, bytes, json, reset, text, wireServer } from "../support/servers/wireServer.ts"

/** Secrets with characters that are spelt in several ways in JSON. */
const canary = {
  apiKey: Redacted.make(`canary-key/1+2=3"'<&>`),
  access: "canary-access/abc+def==",
  refresh: "canary-refresh/abc+def=="
}

/** What no text may hold: the part of each canary that every spelling has in common. */
const assertNoCanary = (seen: string) => {
  const at = seen.indexOf("canary-")
  assert.strictEqual(at, -1, at === -1 ? undefined : `…${seen.slice(Math.max(0, at - 300), at + 100)}…`)
}

const issued: Answer = json(201, {
  message: "ok",
  data: { accessToken: canary.access, refreshToken: canary.refresh, expiresAt: 4102444800000, vaultId: 1 },
  status: 201
})

describe.each(transports)("secrets over $name", (transport) => {
  it.live(
    "an error keeps only the code and messages of a body, and the first words of a page, unless bodies are requested",
    () =>
      Effect.gen(function* () {
        const page = `<html><style>canary</style><b title="canary">Bad gateway</b> of ${"canary".repeat(5)}`
        const answers = [
          text(502, "text/html", page),
          text(200, "text/html", page),
          text(404, "application/octet-stream", "canary"),
          json(403, { Message: "canary" }),
          json(409, { status: 409, message: "No", errors: ["canary"], code: "E50001", debug: "canary" }),
          json(200, { status: 200, message: "canary", data: ["canary"], canary: "canary" }),
          json(200, `{"status":"canary","data":`)
        ]
        for (const answer of answers) {
          const error = yield* against(
            serverWithSession(() => answer),
            transport,
            () => Effect.flip(Vaults.details())
          )
          assert.notProperty(error, "body")
          assert.notInclude(printed(error), "canary")
        }
      })
  )

  it.live("a session, its tokens and a broken connection show no secret", () =>
    Effect.gen(function* () {
      for (const answer of [details, reset, bytes("HTTP/1.1 200 OK", "Content-Length: 10", "", "{")]) {
        let expired = false
        const seen = yield* everythingSeen(
          against(
            wireServer(({ target }) => {
              if (target.includes("/auth/")) return issued
              if (expired) return answer
              expired = true
              return json(498, { status: 498, message: "Token has expired", errors: {}, code: "E40003" })
            }),
            transport,
            () =>
              Effect.gen(function* () {
                const tokens = yield* Authentication.generateTokens({ apiKey: canary.apiKey })
                yield* Effect.log(tokens, "used up", canary.apiKey)
                yield* Effect.exit(Vaults.details())
                return tokens
              }),
            { apiKey: canary.apiKey }
          )
        )
        assert.strictEqual(seen.exit._tag, "Success")
        assertNoCanary(seen.text)
      }
    })
  )

  it.live("a kept body has its other lines, and none of the secrets of the process", () =>
    Effect.gen(function* () {
      const storeKey = Redacted.make("canary-store-key-0123456789")
      const secrets = [
        ...["access-0", "access-1", "refresh-0", "refresh-1"].map((name) => `canary-${name}-${"x".repeat(300)}`),
        Redacted.value(canary.apiKey),
        Redacted.value(storeKey)
      ]
      const pair = (nth: number) => ({ accessToken: secrets[nth], refreshToken: secrets[nth + 2], vaultId: 1 })
      const page = ["<h1>Bad Gateway</h1>", ...secrets.map((secret) => `<p>${encodeURIComponent(secret)}</p>`), "502"]
      let calls = 0
      const { exit, text: seen } = yield* everythingSeen(
        against(
          wireServer(({ target }) => {
            if (target.endsWith("generate-tokens")) return json(201, { message: "ok", data: pair(0), status: 201 })
            if (target.endsWith("refresh-token")) return json(201, { message: "ok", data: pair(1), status: 201 })
            return calls++ === 0 ? json(498, { status: 498, code: "E40003" }) : text(502, "text/html", page.join("\n"))
          }),
          transport,
          () => Effect.flip(Vaults.details()),
          { apiKey: canary.apiKey, diagnostics: "bodies", secrets: [storeKey] }
        )
      )
      assert(exit._tag === "Success" && exit.value._tag === "OtherApiError")
      assert.strictEqual(exit.value.body, `<h1>Bad Gateway</h1>\n${"<redacted>\n".repeat(secrets.length)}502`)
      assertNoCanary(seen)
    })
  )

  it.live("a refused input shows no secret", () =>
    Effect.gen(function* () {
      const long = Redacted.make("canary-".repeat(100))
      // What a program without types may hand over.
      const bare: unknown = { apiKey: "canary-in-clear", extra: "canary-in-clear" }
      for (const input of [{ apiKey: long }, bare]) {
        const { exit, text } = yield* everythingSeen(
          against(
            wireServer(() => issued),
            transport,
            () => Authentication.generateTokens(input as { readonly apiKey: typeof long })
          )
        )
        assert.strictEqual(exit._tag, "Failure")
        assertNoCanary(text)
      }
    })
  )
})

it("the detector finds the canaries in a visible place", () => {
  assert.throws(() =>
    assertNoCanary(JSON.stringify(HttpClientRequest.get("/", { headers: { "x-other": canary.access } })))
  )
})
