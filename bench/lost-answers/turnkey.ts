import { ApiKeyStamper } from "@turnkey/api-key-stamper"
import { TurnkeyClient } from "@turnkey/http"
import { createECDH } from "node:crypto"
import { modelled } from "../src/lostAnswers/Contender.ts"

const keys = createECDH("prime256v1")
keys.generateKeys()
const stamper = new ApiKeyStamper({
  apiPublicKey: keys.getPublicKey("hex", "compressed"),
  apiPrivateKey: keys.getPrivateKey("hex").padStart(64, "0")
})

export const contenders = [
  modelled({
    package: "@turnkey/http",
    call: "ethSendTransaction",
    pays: /\/eth_send_transaction$/,
    programKey: "optional",
    keyOf: ({ body }) => ({ name: "the whole body (the benchmark sets `timestampMs`)", value: body }),
    reply: (payment) => ({
      activity: { id: `act${payment}`, status: "ACTIVITY_STATUS_COMPLETED", organizationId: "o" }
    }),
    connect: (origin) => {
      const client = new TurnkeyClient({ baseUrl: origin }, stamper)
      const parameters = {
        from: `0x${"11".repeat(20)}`,
        caip2: "eip155:84532" as const,
        calls: [{ to: `0x${"22".repeat(20)}`, value: "1000", data: "0x" }]
      }
      const stored = Date.now()
      let calls = 0
      return (key) =>
        client.ethSendTransaction({
          type: "ACTIVITY_TYPE_ETH_SEND_TRANSACTION_V2",
          // Two calls may fall into one millisecond.
          timestampMs: String(key === undefined ? Date.now() + calls++ : stored),
          organizationId: "o",
          parameters
        })
    }
  })
]
