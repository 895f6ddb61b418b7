import { PayPalAgentToolkit } from "@paypal/agent-toolkit/mcp"
import { keyNamed } from "../../../src/lostAnswers/Contender.ts"
import { inProcess, tool } from "../tool.ts"

export const contenders = [
  tool({
    package: "@paypal/agent-toolkit",
    call: "create_refund",
    pays: /\/refund$/,
    programKey: { none: "takes none" },
    keyOf: keyNamed(["paypal-request-id"]),
    tool: "create_refund",
    serve: () =>
      inProcess(
        new PayPalAgentToolkit({
          accessToken: "t",
          configuration: { actions: { payments: { createRefund: true } }, context: { sandbox: true } }
        })
      ),
    // A part of the payment: a whole one can be refunded only once.
    input: () => ({ capture_id: "7TK53561YB803214S", amount: { currency_code: "USD", value: "1.00" } }),
    reply: (id) => ({ id, status: "COMPLETED" })
  })
]
