/** What a call told its program, and whether it was true: decided by these rules, and by nobody's judgement. */

/** How a call ended for its program. */
export type Told =
  | { readonly _tag: "Paid" }
  /** It had not ended when this benchmark gave up. */
  | { readonly _tag: "Waiting" }
  | {
      readonly _tag: "Failed"
      readonly name: string
      readonly status: number | undefined
      readonly isRetryable: boolean
      readonly message: string
    }

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
  const details = [fields, fieldsOf(fields["networkDetails"])]
  return {
    _tag: "Failed",
    name: `${(error as object | undefined)?.constructor?.name} ${code ?? ""}`.trim(),
    status: statuses.find((status) => typeof status === "number"),
    isRetryable: details.some(({ retryable }) => retryable === true),
    message: String(fields["errorMessage"] ?? fields["message"] ?? error).replaceAll(/127\.0\.0\.1:\d+/g, "HOST")
  }
}

const saysUnknown = /may have (happened|been)|outcome (is )?unknown/i
const saysAgain = /try again/i

/** Whether what a call told was true of the payments that were made until then. */
export const verdict = (told: Told, payments: number): string => {
  if (told._tag === "Waiting") return payments > 1 ? `${payments} PAYMENTS` : "waits"
  if (told._tag === "Paid") return payments === 1 ? "true" : `FALSE: ${payments} payments, one reported`
  const more = payments > 1 ? `${payments} PAYMENTS, and ` : ""
  if (saysUnknown.test(told.message)) return `${more}says that it may have happened`
  if (payments === 0) return "true: not done"
  if (told.status !== undefined && told.status >= 400 && told.status < 500) {
    return `${more}FALSE: refused (${told.status}), and done`
  }
  return more + (told.isRetryable || saysAgain.test(told.message) ? 'INVITES: done, and "try again"' : "silent: done")
}

export const rules = `
A call that succeeds is true if there is one payment, FALSE otherwise. An error that says "may have happened" or "outcome
unknown" is named so, whatever was done. Any other error is true if nothing was paid. After a payment, a 4xx is FALSE
(refused, and done), "try again" or \`retryable: true\` INVITES a second payment, and every other error is silent.`
