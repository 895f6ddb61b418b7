/** Bare bodies, pages from 0, a 204 for an empty answer, flat errors under other names. */
import { type Asked, type Dialect } from "./dialect.ts"

const isSilent = ({ method, path }: Asked): boolean =>
  (method === "POST" && /^\/payment-vault-orders\/[^/]+\/(?:asset|cancel)$/.test(path)) ||
  (method === "PUT" && path.endsWith("/metadata"))

export const bare: Dialect = {
  name: "bare bodies and 204",
  toAssumed: (asked) => {
    const query = new URLSearchParams(asked.query)
    const page = query.get("p")
    query.delete("p")
    if (page !== null) query.set("page", String(Number(page) + 1))
    const size = query.get("n")
    query.delete("n")
    if (size !== null) query.set("limit", size)
    return { ...asked, query }
  },
  toTheirs: (asked, { body, status }) => {
    if (status >= 400) {
      return { status, body: { err: body["code"], msg: body["message"], invalid: body["errors"] ?? {} } }
    }
    return isSilent(asked) ? { status: 204 } : { status: 200, body: body["data"] }
  }
}
