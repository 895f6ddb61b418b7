/** How a call ended for its program: decided by these rules, and by nobody's judgement. */

/** What a call told its program. */
export type Told =
  | { readonly _tag: "Paid" }
  /** It had not ended when this benchmark gave up. */
  | { readonly _tag: "Waiting" }
  | {
      readonly _tag: "Failed"
      readonly name: string
      readonly status: number | undefined
      readonly message: string
    }

/** How long a call may take, in milliseconds, beside the delay of a slow answer. */
export const patience = 12_000

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

/** What an error says, without what differs from one server to the next. */
export const toldBy = (error: unknown): Told => {
  const fields = fieldsOf(error)
  const response = fieldsOf(fields["response"])
  const code = [fields["code"], fieldsOf(fields["cause"])["code"]].find((code) => typeof code === "string")
  const statuses = [
    fields["status"],
    fields["statusCode"],
    fields["httpStatus"],
    response["status"],
    response["statusCode"]
  ]
  return {
    _tag: "Failed",
    name: `${(error as object | undefined)?.constructor?.name} ${code ?? ""}`.trim(),
    status: statuses.find((status) => typeof status === "number"),
    message: String(fields["errorMessage"] ?? fields["message"] ?? error).replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
  }
}

const saysUnknown = /may have (happened|been)|outcome (is )?unknown/i
const saysAgain = /try again/i

interface Circumstances {
  /** The payments until the call ended. */
  readonly payments: number
  /** The program gave the call a key: to call again with it is the remedy, whatever the error says. */
  readonly isKeyed: boolean
}

export const verdict = (told: Told, { isKeyed, payments }: Circumstances): string => {
  if (told._tag === "Waiting") return "waits"
  if (told._tag === "Paid") return payments === 1 ? "ok" : "reports one"
  if (saysUnknown.test(told.message)) return payments === 0 ? "false alarm" : "says that it may have happened"
  if (payments === 0) return "not paid"
  if (isKeyed) return "error"
  return saysAgain.test(told.message) ? "invites" : "silent"
}

/** The rules, in Markdown. */
export const rules = `
The number is of payments. How a call ended follows from that number and from the \`message\` of its error alone. The first line that applies counts:

- **waits**: it has not ended after ${patience / 1000} seconds
- **ok**, **reports one**: it succeeds after one payment, or after another number
- **says that it may have happened**: its error has "may have happened", "may have been" or "outcome unknown" (**false alarm**, if nothing was paid)
- **not paid**: it fails, and nothing was paid
- **error**: it fails, with the program's key
- **invites**, **silent**: its error has "try again", or not

A second call that fails is **refused**.`
