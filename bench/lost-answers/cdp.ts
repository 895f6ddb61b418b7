import { CdpClient } from "@coinbase/cdp-sdk"
import { address, credentials, service, to } from "../src/lostAnswers/cdp.ts"
import { modelled } from "../src/lostAnswers/Contender.ts"

const clientOf = (origin: string) => new CdpClient({ ...credentials, basePath: `${origin}/platform` })

const transfer = {
  ...service,
  package: "@coinbase/cdp-sdk",
  call: "account.transfer",
  programKey: { none: "takes none: use `evm.sendTransaction`" },
  reply: (payment: number) => ({ transactionHash: `0x${String(payment).padStart(64, "0")}` }),
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
