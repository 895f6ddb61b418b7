import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { custody, inDirectory, server } from "./runCustody.ts"

/** A service that starts a session and accepts every send: what the command prints, and the bodies that it received. */
const sent = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const bodies: Array<string> = []
  const url = yield* server((request, response) => {
    let body = ""
    request.on("data", (chunk) => (body += chunk))
    request.on("end", () => {
      const isStart = request.url === "/api/auth/generate-tokens"
      if (!isStart) bodies.push(body)
      const tokens = { accessToken: "a", refreshToken: "r", expiresAt: Date.now() + 3_600_000, vaultId: 1 }
      response.writeHead(201, { "content-type": "application/json" })
      response.end(JSON.stringify({ message: "ok", data: isStart ? tokens : { id: "t1" }, status: 201 }))
    })
  })
  const env = {
    CUSTODY_BASE_URL: url,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_SESSION_FILE: `${yield* inDirectory}/session.db`,
    CUSTODY_API_KEY: "key"
  }
  return { ...(yield* custody(["call", ...args], env)), bodies }
})

const to = "0x52908400098527886E0F7030069857D2E4169EE7"
const send = (amount: string) => `{"clientId":"alice","assetId":"usdc","to":"${to}",${amount}}`

describe("custody call", () => {
  it.live.each([
    ['"amount":9007199254740993', "9007199254740993"],
    ['"amount":123456789.123456789123456789', "123456789.123456789123456789"],
    ['"amount":12.5', "12.5"],
    ['"amount":"9007199254740993"', "9007199254740993"]
  ] as const)("custody call sends every digit of %s in --input", ([given, amount]) =>
    Effect.gen(function* () {
      const { bodies, said } = yield* sent("transactions.send", "--yes", "--input", send(given))
      assert.deepStrictEqual(bodies, [`{"clientId":"alice","assetId":"usdc","to":"${to}","amount":"${amount}"}`], said)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live.each([
    [["--input", send('"amount":"1","amount":"1000"')], "--input repeats a key"],
    [["--input", send('"amount":"1","\\u0061mount":"1000"')], "--input repeats a key"],
    [["clientId=alice", "assetId=usdc", `to=${to}`, "amount=1", "amount=1000"], '"amount" is repeated'],
    [["--input", "{"], "--input is not JSON: SyntaxError"],
    [["--input", "[]"], "--input must be a JSON object"]
  ] as const)("custody call sends nothing with the arguments %j", ([args, message]) =>
    Effect.gen(function* () {
      const { bodies, fails, said } = yield* sent("transactions.send", "--yes", ...args)
      assert.deepStrictEqual(bodies, [])
      assert.isTrue(fails)
      assert.include(said, message)
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("custody call prefers a field=value argument to the field of --input", () =>
    Effect.gen(function* () {
      const { bodies } = yield* sent("clients.create", "--yes", "--input", '{"externalId":"alice"}', "externalId=bob")
      assert.deepStrictEqual(bodies[0], '{"externalId":"bob"}')
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("custody call shows the request before it asks", () =>
    Effect.gen(function* () {
      const { bodies, said } = yield* sent("clients.create", "externalId=bob")
      assert.match(said, /^POST http:\/\/127\.0\.0\.1:\d+\/api\/clients.*\n[^]+\n\n{"externalId":"bob"}\n/, said)
      assert.include(said, "no terminal to ask")
      assert.deepStrictEqual(bodies, [])
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
