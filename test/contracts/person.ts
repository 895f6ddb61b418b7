/** A person who knows the service's documentation, and compares what was ordered with what went over the wire. */
import type { Payouts } from "@effect-custody/ledger"
import { isObject, jsonOf } from "../support/servers/dialects/dialect.ts"
import type { Fields, Subject } from "./subject.ts"

const fieldsOf = (text: string | null): Fields => jsonOf(Buffer.from(text ?? ""))

const at = (value: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce((inner, name) => (isObject(inner) ? inner[name] : undefined), value)

/** The fields of a request: those of its body, and its headers under `header`. */
const requestFields = (request: string): Fields => {
  const [head = "", body = ""] = request.split("\n\n")
  const headers = head.split("\n").map((line) => line.split(": ") as [string, string])
  return { ...fieldsOf(body), header: Object.fromEntries(headers) }
}

/** The names of the service's fields that are not as documented. */
const differing = (expected: Fields, shown: unknown): ReadonlyArray<string> =>
  Object.keys(expected).filter((name) => at(shown, name.split(".")) !== expected[name])

/** What the person finds wrong. Empty: they confirm. */
export const objections = (
  { documented, ends, rowAt, stateAt }: Subject,
  order: Payouts.ReferencedOrder,
  state: string | undefined,
  { answer, request }: Payouts.Confirmation
): ReadonlyArray<string> => {
  const expected = documented(order)
  const row = at(fieldsOf(answer), rowAt)
  const end = ends[String(at(row, [stateAt]))]
  return [
    ...differing(expected.request, requestFields(request ?? "")).map((name) => `request.${name}`),
    ...differing(expected.row, row).map((name) => `row.${name}`),
    ...(end === undefined || state === "accepted" || end === state ? [] : [`row.${stateAt}`])
  ]
}
