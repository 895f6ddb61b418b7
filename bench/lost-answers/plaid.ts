import { Configuration, PlaidApi } from "plaid"
import { modelled } from "../src/lostAnswers/Contender.ts"

const headers = { "PLAID-CLIENT-ID": "i", "PLAID-SECRET": "s" }

export const contenders = [
  modelled({
    package: "plaid",
    call: "transferCreate",
    pays: /\/transfer\/create$/,
    // The authorization that the program has asked for.
    programKey: "required",
    reply: (payment) => ({ transfer: { id: `t${payment}`, status: "pending" }, request_id: "r" }),
    error: (status) => ({
      error_type: status === 429 ? "RATE_LIMIT_EXCEEDED" : "API_ERROR",
      error_code: "X",
      error_message: `simulated ${status}`
    }),
    connect: (origin) => {
      const client = new PlaidApi(new Configuration({ basePath: origin, baseOptions: { headers } }))
      return (key = "") =>
        client.transferCreate({
          access_token: "a",
          account_id: "b",
          authorization_id: key,
          description: "pay",
          amount: "10.00"
        })
    }
  })
]
