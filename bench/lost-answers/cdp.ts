import { CdpClient } from "@coinbase/cdp-sdk"
import { generateKeyPairSync } from "node:crypto"
import { modelled } from "../src/lostAnswers/Contender.ts"

// The package reports its use to its maker unless these are set.
process.env["DISABLE_CDP_ERROR_REPORTING"] = "true"
process.env["DISABLE_CDP_USAGE_TRACKING"] = "true"

const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
const apiKeySecret = Buffer.concat([Buffer.from(d, "base64url"), Buffer.from(x, "base64url")]).toString("base64")
const wallet = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey
const walletSecret = wallet.export({ type: "pkcs8", format: "der" }).toString("base64")

const address = `0x${"11".repeat(20)}` as const
const to = `0x${"22".repeat(20)}` as const
const types: Readonly<Record<number, string>> = {
  401: "unauthorized",
  429: "rate_limit_exceeded",
  503: "service_unavailable"
}
const clientOf = (origin: string) =>
  new CdpClient({ apiKeyId: "k", apiKeySecret, walletSecret, basePath: `${origin}/platform` })

const transfer = {
  package: "@coinbase/cdp-sdk",
  call: "account.transfer",
  pays: /\/send\/transaction$/,
  programKey: { none: "takes none: use `evm.sendTransaction`" },
  reply: (payment: number) => ({ transactionHash: `0x${String(payment).padStart(64, "0")}` }),
  first: () => ({ address, name: "a", createdAt: "x", updatedAt: "x" }),
  error: (status: number) => ({ errorType: types[status], errorMessage: `simulated ${status}`, correlationId: "c" }),
  connect: async (origin: string) => {
    const account = await clientOf(origin).evm.getAccount({ address })
    return () => account.transfer({ to, amount: 10n ** 15n, token: "eth", network: "base-sepolia" })
  }
}

export const contenders = [
  modelled(transfer),
  modelled({
    ...transfer,
    call: "evm.sendTransaction",
    programKey: "optional",
    connect: (origin) => {
      const { evm } = clientOf(origin)
      const transaction = { to, value: 10n ** 15n }
      return (key) =>
        evm.sendTransaction({
          address,
          network: "base-sepolia",
          transaction,
          ...(key === undefined ? {} : { idempotencyKey: key })
        })
    }
  })
]
