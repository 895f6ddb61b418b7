/** Over HTTP/1.1, a write has a connection of its own, unless the program lets writes share. */
import { TokenStore } from "@effect-custody/authentication"
import { Amount, Environment } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Transactions } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { isWhole, rawServer } from "../support/servers/rawServer.ts"
import { trusted } from "../support/servers/trusted.ts"

const answer = (data: object): string => {
  const text = JSON.stringify({ message: "", status: 201, data })
  return `HTTP/1.1 201 X\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

const session = { accessToken: "access-0", refreshToken: "refresh-0", expiresAt: 4102444800000 }

const payment = { clientId: "alice", assetId: "usdc", to: "0xabc", amount: Amount.of("12.50") }

it.effect.each([
  ["reads", [1, 2, 3]],
  ["none", [1, 2, 3]],
  ["all", [1, 1, 1]]
] as const)("with reuse: %s, three payments take the connections %j", ([reuse, expected]) =>
  Effect.gen(function* () {
    const payments: Array<number> = []
    const read = new Map<number, number>()
    const { port } = yield* rawServer({
      tls: trusted,
      onData: (socket, { connection, text }) => {
        const request = text.slice(read.get(connection) ?? 0)
        if (!isWhole(request)) return
        read.set(connection, text.length)
        const isPayment = request.startsWith("POST /api/integration/transactions/send ")
        if (isPayment) payments.push(connection)
        socket.write(answer(isPayment ? { id: "t-1", status: "PENDING" } : session))
      }
    })
    const client = Custody.layer({
      environment: Environment.emulator(`https://127.0.0.1:${port}/api/integration`),
      apiKey: Redacted.make("one-time-api-key")
    }).pipe(Layer.provide([NodeCustody.layerHttpClient({ connections: 1, reuse }), TokenStore.layerMemory]))
    yield* Effect.provide(Effect.replicateEffect(Transactions.send(payment), 3), client)
    const distinct = [...new Set(payments)]
    assert.deepStrictEqual(
      payments.map((connection) => distinct.indexOf(connection) + 1),
      [...expected]
    )
  })
)
