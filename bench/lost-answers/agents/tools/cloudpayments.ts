import { createRequire } from "node:module"
import { keyNamed } from "../../../src/lostAnswers/Contender.ts"
import { program, tool } from "../tool.ts"

const server = createRequire(import.meta.url).resolve("@theyahia/cloudpayments-mcp/dist/index.js")

export const contenders = [
  tool({
    package: "@theyahia/cloudpayments-mcp",
    call: "refund",
    pays: /\/payments\/refund$/,
    programKey: { none: "takes none" },
    keyOf: keyNamed(["x-request-id"]),
    tool: "refund",
    serve: () => program(server, { env: { CLOUDPAYMENTS_PUBLIC_ID: "p", CLOUDPAYMENTS_API_SECRET: "s" } }),
    // A part of the payment: a whole one can be refunded only once.
    input: () => ({ TransactionId: 455, Amount: 1 }),
    reply: (id) => ({ Success: true, Model: { TransactionId: id } })
  })
]
