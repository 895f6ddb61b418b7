import { initiateDeveloperControlledWalletsClient } from "@circle-fin/developer-controlled-wallets"
import { generateKeyPairSync, randomBytes } from "node:crypto"
import { modelled } from "../src/lostAnswers/Contender.ts"

const publicKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).publicKey.export({ type: "spki", format: "pem" })

export const contenders = [
  modelled({
    package: "@circle-fin/developer-controlled-wallets",
    call: "createTransaction",
    pays: /\/transactions\/transfer$/,
    programKey: "optional",
    first: () => ({ data: { publicKey } }),
    reply: (payment) => ({ data: { id: `id${payment}`, state: "INITIATED" } }),
    connect: (origin) => {
      const entitySecret = randomBytes(32).toString("hex")
      const client = initiateDeveloperControlledWalletsClient({
        apiKey: "TEST_API_KEY:a:b",
        entitySecret,
        baseUrl: origin
      })
      return (key) =>
        client.createTransaction({
          walletId: "w",
          tokenId: "t",
          destinationAddress: `0x${"22".repeat(20)}`,
          amount: ["1"],
          fee: { type: "level", config: { feeLevel: "MEDIUM" } },
          ...(key === undefined ? {} : { idempotencyKey: key })
        })
    }
  })
]
