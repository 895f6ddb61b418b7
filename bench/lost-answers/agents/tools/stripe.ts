import { StripeAgentToolkit } from "@stripe/agent-toolkit/modelcontextprotocol"
import { inProcess, tool } from "../tool.ts"

export const contenders = [
  tool({
    package: "@stripe/agent-toolkit",
    call: "create_refund",
    pays: /^\/v1\/refunds$/,
    programKey: { none: "takes none" },
    tool: "create_refund",
    serve: () =>
      inProcess(
        new StripeAgentToolkit({ secretKey: "sk_test_x", configuration: { actions: { refunds: { create: true } } } })
      ),
    // A part of the payment: a whole one can be refunded only once.
    input: () => ({ payment_intent: "pi_1", amount: 100 }),
    reply: (id) => ({ id, object: "refund", amount: 100, status: "succeeded" }),
    error: (status) => ({
      error: { type: status === 429 ? "rate_limit_error" : "api_error", message: `simulated ${status}` }
    })
  })
]
