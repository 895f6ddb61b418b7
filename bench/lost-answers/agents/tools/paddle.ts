import { createRequire } from "node:module"
import { program, tool } from "../tool.ts"

const server = createRequire(import.meta.url).resolve("@paddle/paddle-mcp/build/index.js")

export const contenders = [
  tool({
    package: "@paddle/paddle-mcp",
    call: "create_subscription_charge",
    pays: /\/charge$/,
    programKey: { none: "takes none" },
    tool: "create_subscription_charge",
    serve: () => program(server, { args: ["--api-key=k", "--environment=sandbox"] }),
    input: () => ({
      subscriptionId: "sub_1",
      effectiveFrom: "immediately",
      items: [{ quantity: 1, priceId: "pri_1" }]
    }),
    // The service answers with the subscription, not with the charge.
    reply: (id) => ({ data: { id, status: "active", billing_cycle: { interval: "month", frequency: 1 }, items: [] } }),
    error: (status) => ({ error: { type: "api_error", code: "x", detail: `simulated ${status}` } })
  })
]
