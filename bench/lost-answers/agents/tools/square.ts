import { createRequire } from "node:module"
import { keyNamed } from "../../../src/lostAnswers/Contender.ts"
import { program, tool } from "../tool.ts"

const server = createRequire(import.meta.url).resolve("square-mcp-server/dist/index.js")

export const contenders = [
  tool({
    package: "square-mcp-server",
    call: "make_api_request, payments.create",
    pays: /\/payments$/,
    // The service requires it, and so says the type that `get_type_info` shows to the model.
    programKey: "required",
    keyOf: keyNamed(["idempotency_key"]),
    tool: "make_api_request",
    serve: () => program(server, { args: ["start"], env: { ACCESS_TOKEN: "t", SANDBOX: "true" } }),
    input: (key) => ({
      service: "payments",
      method: "create",
      request: { idempotency_key: key, source_id: "cnon:card-nonce-ok", amount_money: { amount: 100, currency: "USD" } }
    }),
    reply: (id) => ({ payment: { id, status: "COMPLETED" } }),
    error: () => ({ errors: [{ category: "API_ERROR", code: "SERVICE_UNAVAILABLE" }] })
  })
]
