import { Authentication } from "@effect-custody/authentication"
import { RetryPolicy } from "@effect-custody/core"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as HttpBody from "effect/http/HttpBody"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { everythingSeen, printed } from "../support/worlds/observed.ts"
import { against, details, type Transport, transports } from "../support/clients/wireClient.ts"
import { type Answer, bytes, header, json, reset, text, wireServer } from "../support/servers/wireServer.ts"

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

/** Answers of a service that repeats what it was sent. */
const echoes = (status: number, code: string, secret: string): ReadonlyArray<readonly [string, Answer]> => {
  const body = (spelt: string) =>
    `{"status":${status},"message":${spelt},"errors":{"message":${spelt},"token":[${spelt}],"more":{"deep":[${spelt}]}},"code":"${code}"}`
  const plain = JSON.stringify(secret)
  const headers = { "x-debug": Buffer.from(secret).toString("latin1"), "x-access-token": canary.access }
  return [
    ["as it is", json(status, body(plain))],
    ["in its headers", json(status, body(`"no"`), headers)],
    ["with escaped slashes", json(status, body(plain.replaceAll("/", String.raw`\/`)))],
    ["as its code", json(status, { status, message: "No", errors: {}, code: secret })],
    ["as a key", json(status, { status, message: "No", errors: { [secret]: ["no"] }, code })],
    ["in a page", text(status, "text/html", `<html>${secret} ${encodeURIComponent(secret)}</html>`)],
    ["in JSON that breaks off", json(status, `{"message":${plain}`)],
    ["as a list", json(status, `[${plain}]`)]
  ]
}

/** Over the first transport every status; over the others a refusal and an answer in doubt: how a text is redacted is the same for all. */
const statusesOver = (name: string) => (name === transports[0].name ? [400, 429, 498, 502, 200] : [400, 502])

/** Every answer that repeats a secret, with every status. */
const everyEcho = ({ name }: Transport, code: string, secret: string) =>
  statusesOver(name).flatMap((status) =>
    echoes(status, code, secret).map(([how, answer]) => ({ how: `${status}, ${how}`, answer }))
  )

const textOf = (body: HttpBody.HttpBody): string =>
  body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""

const together = { concurrency: "unbounded", discard: true } as const

describe.each(transports)("secrets over $name", (transport) => {
  it.live("49 · no access token is seen where the answer to a read repeats it, whatever the status and spelling", () =>
    Effect.forEach(
      everyEcho(transport, "E40000", canary.access),
      Effect.fnUntraced(function* ({ answer, how }) {
        const server = yield* wireServer(({ target }) => (target.includes("/auth/") ? issued : answer))
        const { exit, observed, text } = yield* everythingSeen(
          against(Effect.succeed(server), transport, () => Vaults.details(), { diagnostics: "bodies" })
        )
        assert.strictEqual(exit._tag, "Failure", how)
        assert.deepStrictEqual(header(server.received[1]!, "x-access-token"), [canary.access], how)
        assert.isAbove(observed.spans.length, 1, how)
        assertNoCanary(text)
      }),
      together
    )
  )

  it.live("49 · no API key is seen where the answer to its exchange repeats it, whatever the status and spelling", () =>
    Effect.forEach(
      everyEcho(transport, "E00402", Redacted.value(canary.apiKey)),
      Effect.fnUntraced(function* ({ answer }) {
        const server = yield* wireServer(() => answer)
        const { apiKey } = canary
        const called = against(Effect.succeed(server), transport, () => Authentication.generateTokens({ apiKey }))
        assertNoCanary((yield* everythingSeen(called)).text)
        const started = against(Effect.succeed(server), transport, () => Vaults.details(), { apiKey })
        assertNoCanary((yield* everythingSeen(started)).text)
      }),
      together
    )
  )

  it.live("49 · a token of 4,000 characters is not seen, where an ordinary 404 repeats it or does not", () => {
    const long = `canary-${"eyJhbGciOiJIUzI1NiJ9.".repeat(190)}`
    const pair = { accessToken: long, refreshToken: canary.refresh, expiresAt: 4102444800000, vaultId: 1 }
    const answers = [
      json(404, { status: 404, message: "No such vault" }),
      json(404, { status: 404, message: `No vault for ${long}` }),
      text(404, "text/html", `<p>${encodeURIComponent(long)}</p>`)
    ]
    return Effect.forEach(
      answers,
      Effect.fnUntraced(function* (answer) {
        const server = yield* wireServer(({ target }) =>
          target.includes("/auth/") ? json(201, { message: "ok", data: pair, status: 201 }) : answer
        )
        const { exit, text } = yield* everythingSeen(against(Effect.succeed(server), transport, () => Vaults.details()))
        assert.isTrue(Exit.hasFails(exit))
        assertNoCanary(text)
      }),
      together
    )
  })

  it.live(
    "49 · no refresh token is seen where the answer to a refresh repeats it, whatever the status and spelling",
    () =>
      Effect.forEach(
        everyEcho(transport, "E01402", canary.refresh),
        Effect.fnUntraced(function* ({ answer }) {
          const server = yield* wireServer(({ target }) => {
            if (target.endsWith("generate-tokens")) return issued
            return target.endsWith("refresh-token") ? answer : json(498, { status: 498, code: "E40003" })
          })
          const refreshToken = Redacted.make(canary.refresh)
          const called = against(Effect.succeed(server), transport, () => Authentication.refreshToken({ refreshToken }))
          assertNoCanary((yield* everythingSeen(called)).text)
          // A session that is paused is told at once, not waited for.
          const details = RetryPolicy.provide(Vaults.details(), RetryPolicy.none)
          const rotated = against(Effect.succeed(server), transport, () => details, { apiKey: canary.apiKey })
          assertNoCanary((yield* everythingSeen(rotated)).text)
        }),
        together
      )
  )

  it.live("49 · no secret is seen of a session that goes well, of its tokens, or of a connection that breaks", () =>
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

  it.live("49 · a body that is kept holds none of the secrets of the process, and its other lines", () =>
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
      assert(exit._tag === "Success" && exit.value._tag === "UnknownApiError")
      assert.strictEqual(exit.value.body, `<h1>Bad Gateway</h1>\n${"<redacted>\n".repeat(secrets.length)}502`)
      assertNoCanary(seen)
    })
  )

  it.live("49 · a client that logs its requests, answers and errors shows no secret, in a fiber or outside", () =>
    Effect.gen(function* () {
      const kept: Array<unknown> = []
      const keep = (value: unknown) =>
        Effect.andThen(
          Effect.logDebug(value),
          Effect.sync(() => kept.push(value))
        )
      const logging = Layer.effect(
        HttpClient.HttpClient,
        Effect.map(HttpClient.HttpClient, (client) =>
          client.pipe(
            HttpClient.tapRequest(keep),
            HttpClient.transform((exchange, request) => Effect.andThen(keep([request, request.headers]), exchange)),
            HttpClient.tap(({ request }) => keep(request)),
            HttpClient.tapError(keep)
          )
        )
      ).pipe(Layer.provide(transport.layer))
      let expired = false
      const seen = yield* everythingSeen(
        against(
          wireServer(({ target }) => {
            if (target.includes("/auth/")) return issued
            if (expired) return reset
            expired = true
            return json(498, { status: 498, message: "Token has expired", errors: {}, code: "E40003" })
          }),
          { name: transport.name, layer: logging },
          () => Effect.exit(Vaults.details()),
          { apiKey: canary.apiKey }
        )
      )
      assert.isAbove(kept.length, 8)
      assertNoCanary(seen.text)
      assertNoCanary(yield* Effect.promise(async () => kept.map(printed).join("\n")))
      // Every request has gone through it, with its secret.
      const requests = kept.filter(HttpClientRequest.isHttpClientRequest)
      assert.isTrue(requests.some(({ headers }) => headers["x-access-token"] === canary.access))
      assert.isTrue(requests.some(({ body }) => textOf(body).includes("canary-key")))
      assert.isTrue(requests.some(({ body }) => textOf(body).includes(canary.refresh)))
    })
  )

  it.live("49 · no secret is seen of an input that is refused", () =>
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

it("the canaries are found where they are not kept secret", () => {
  assert.throws(() =>
    assertNoCanary(JSON.stringify(HttpClientRequest.get("/", { headers: { "x-other": canary.access } })))
  )
})
