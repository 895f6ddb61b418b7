import { Fireblocks } from "@fireblocks/ts-sdk"
import { answered, origin } from "./answered.ts"

const fireblocks = new Fireblocks({
  apiKey: "key",
  basePath: `${origin}/v1`,
  secretKey: process.env["SECRET_KEY"] ?? ""
})
answered((await fireblocks.vaults.getVaultAccount({ vaultAccountId: "0" })).data)
