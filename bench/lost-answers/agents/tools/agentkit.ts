import { AgentKit, CdpEvmWalletProvider, walletActionProvider } from "@coinbase/agentkit"
import { address, credentials, service, to } from "../../../src/lostAnswers/cdp.ts"
import { tool } from "../tool.ts"

// The package reports its use to its maker, and nobody waits for the answer that the benchmark's server loses.
process.on("unhandledRejection", () => {})

const serve = async () => {
  const walletProvider = await CdpEvmWalletProvider.configureWithWallet({ ...credentials, address })
  const kit = await AgentKit.from({ walletProvider, actionProviders: [walletActionProvider()] })
  const call = async (name: string, input: object): Promise<string> =>
    kit
      .getActions()
      .find((action) => action.name.endsWith(name))!
      .invoke(input)
  return { call }
}

export const contenders = [
  tool({
    ...service,
    package: "@coinbase/agentkit",
    call: "native_transfer of CdpEvmWalletProvider",
    programKey: { none: "takes none" },
    tool: "native_transfer",
    serve,
    input: () => ({ to, value: "0.001" }),
    reply: (id) => ({ transactionHash: id })
  })
]
