import dfns from "@dfns/sdk"
import { modelled } from "../src/lostAnswers/Contender.ts"

/** Signs nothing: the service of this benchmark checks no signature. */
const signer = {
  sign: async () => ({ kind: "Key" as const, credentialAssertion: { credId: "c", clientData: "x", signature: "x" } })
}
const challenge = {
  challengeIdentifier: "ci",
  challenge: "ch",
  allowCredentials: { key: [{ id: "c", type: "public-key" }] }
}

export const contenders = [
  modelled({
    package: "@dfns/sdk",
    call: "wallets.transferAsset",
    pays: /\/transfers$/,
    programKey: "optional",
    first: (path) => (path.endsWith("/init") ? challenge : { userAction: "ua" }),
    reply: (payment) => ({ id: `xfr-${payment}`, status: "Pending" }),
    error: (status) => ({ error: { message: `simulated ${status}` } }),
    connect: (origin) => {
      const client = new dfns.DfnsApiClient({ authToken: "tok", baseUrl: origin, signer })
      return (key) => {
        const to = `0x${"22".repeat(20)}`
        const body = { kind: "Native" as const, to, amount: "1000", ...(key === undefined ? {} : { externalId: key }) }
        return client.wallets.transferAsset({ walletId: "wa-1", body })
      }
    }
  })
]
