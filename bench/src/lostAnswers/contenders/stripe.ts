import Stripe from "stripe"
import { modelled } from "../Contender.ts"

export const contenders = [
  modelled({
    package: "stripe",
    call: "payouts.create",
    pays: /^\/v1\/payouts$/,
    programKey: "optional",
    reply: (payment) => ({ id: `po_${payment}`, object: "payout", amount: 1000, currency: "usd", status: "pending" }),
    error: (status) => ({
      error: { type: status === 429 ? "rate_limit_error" : "api_error", message: `simulated ${status}` }
    }),
    connect: (origin) => {
      const { hostname: host, port, protocol } = new URL(origin)
      const stripe = new Stripe("sk_test_x", { host, port, protocol: protocol === "https:" ? "https" : "http" })
      return (idempotencyKey) =>
        stripe.payouts.create({ amount: 1000, currency: "usd" }, idempotencyKey === undefined ? {} : { idempotencyKey })
    }
  })
]
