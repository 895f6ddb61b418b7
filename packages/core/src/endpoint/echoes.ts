/** Checks that an answer repeats fields of the input. Compares these fields with what was sent. Pure. */
import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Encoded, Wire } from "./Wires.ts"

/** The encoded value of a field of the input; `undefined` if the call leaves the field out. */
const sentValue = ({ body, params, query }: Encoded, name: string): unknown =>
  (body._tag === "None" ? undefined : body.fields[name]) ?? params[name] ?? query[name]

/** Compares amounts as decimals, and everything else exactly. */
const isSame = (sent: unknown, received: unknown): boolean =>
  BigDecimal.isBigDecimal(received)
    ? Option.exists(BigDecimal.fromString(String(sent)), (amount) => BigDecimal.equals(amount, received))
    : sent === received

/** `true` if the wire has echoes, and the call gives a value for each. */
export const areSent = ({ echoes = [] }: Wire, encoded: Encoded): boolean =>
  echoes.length > 0 && echoes.every((name) => sentValue(encoded, name) !== undefined)

/** Returns the payload of an answer, unless one of its echoes is missing or different from what the call sent. */
export const confirm = <A>({ echoes = [], place }: Wire, encoded: Encoded, payload: A): Result.Result<A, string> => {
  const other = echoes.find((name) => {
    const sent = sentValue(encoded, name)
    return sent !== undefined && !(Predicate.isReadonlyObject(payload) && isSame(sent, payload[name]))
  })
  return other === undefined
    ? Result.succeed(payload)
    : Result.fail(`${place(["data", other]).join(".")} is not what was sent: it may be the answer to another request`)
}
