/** Forms that stand beside a payload, and every kind of answer that they may stand in. */
import { assert } from "@effect/vitest"
import { refusal } from "../../../packages/core/src/internal/falseSuccess.ts"

export const row = { id: "w-1" }
export const list = {
  status: 200,
  isStatusNamed: false,
  isList: true,
  isRead: true,
  needsPayload: false,
  sent: undefined
}
export const read = { ...list, isList: false }
/** A change that promises nothing, such as a refund, and one that promises an id, or several. */
export const change = { ...read, isRead: false }
export const send = { ...change, needsPayload: true }
export const createMany = { ...send, isList: true }

export const saysTo =
  (answer: typeof list) =>
  (beside: object, data: unknown): boolean =>
    refusal({ ...answer, body: { ...beside, data }, at: ["data"] }) !== undefined

/** Each kind of answer with its payloads that are empty, and those that are not. */
const kinds = [
  ["a change", change, [null, {}], [row]],
  ["a change that promises an id", send, [null, {}], [row]],
  ["a read", read, [null, {}], [row]],
  ["a list", list, [null, [], { items: [] }], [[row], { items: [row] }]],
  ["a list that a change has made", createMany, [null, []], [[row]]]
] as const

export const each = (name: string, values: ReadonlyArray<unknown>): ReadonlyArray<object> =>
  values.map((value) => ({ [name]: value }))

/** Asserts of each kind what a form says beside its payloads. */
export const assertSays = (form: object, byEmpty: boolean, byFull: boolean) => {
  for (const [kind, answer, empty, full] of kinds) {
    const says = saysTo(answer)
    for (const data of empty) assert.strictEqual(says(form, data), byEmpty, `${kind}: ${JSON.stringify(data)}`)
    for (const data of full) assert.strictEqual(says(form, data), byFull, `${kind}: ${JSON.stringify(data)}`)
  }
}
