/** The service of Coinbase's `cdp-sdk`, and credentials that it would not take. */
import { generateKeyPairSync } from "node:crypto"

// The package reports its use to its maker unless these are set.
process.env["DISABLE_CDP_ERROR_REPORTING"] = "true"
process.env["DISABLE_CDP_USAGE_TRACKING"] = "true"

const { d = "", x = "" } = generateKeyPairSync("ed25519").privateKey.export({ format: "jwk" })
const wallet = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey

export const credentials = {
  apiKeyId: "k",
  apiKeySecret: Buffer.concat([Buffer.from(d, "base64url"), Buffer.from(x, "base64url")]).toString("base64"),
  walletSecret: wallet.export({ type: "pkcs8", format: "der" }).toString("base64")
}

export const address = `0x${"11".repeat(20)}` as const
export const to = `0x${"22".repeat(20)}` as const

const types: Readonly<Record<number, string>> = {
  401: "unauthorized",
  429: "rate_limit_exceeded",
  503: "service_unavailable"
}

export const service = {
  pays: /\/send\/transaction$/,
  first: () => ({ address, name: "a", createdAt: "x", updatedAt: "x" }),
  error: (status: number) => ({ errorType: types[status], errorMessage: `simulated ${status}`, correlationId: "c" })
}
