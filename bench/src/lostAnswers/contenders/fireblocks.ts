import fireblocks from "@fireblocks/ts-sdk"
import { generateKeyPairSync } from "node:crypto"
import { modelled } from "../Contender.ts"

const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
const secretKey = String(privateKey.export({ type: "pkcs8", format: "pem" }))

const vault = (id: string) => ({ type: "VAULT_ACCOUNT" as const, id })
const transactionRequest = { assetId: "ETH_TEST5", amount: "0.01", source: vault("0"), destination: vault("1") }

export const contenders = [
  modelled({
    package: "@fireblocks/ts-sdk",
    call: "transactions.createTransaction",
    pays: /\/transactions$/,
    programKey: "optional",
    reply: (payment) => ({ id: `tx${payment}`, status: "SUBMITTED" }),
    duplicate: { status: 400, body: JSON.stringify({ message: "simulated: externalTxId exists" }) },
    connect: (origin) => {
      const client = new fireblocks.Fireblocks({ apiKey: "k", secretKey, basePath: `${origin}/v1` })
      return (key) =>
        client.transactions.createTransaction({
          transactionRequest: { ...transactionRequest, ...(key === undefined ? {} : { externalTxId: key }) }
        })
    }
  })
]
