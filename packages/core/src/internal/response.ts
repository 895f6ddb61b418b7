/** From the body of an answer to an envelope under the names of our contract. Pure. */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Differences } from "../WireContract.ts"
import * as ExactJson from "./exactJson.ts"
import { renameOf } from "./request.ts"

/** A body's JSON, or `undefined` if it is not JSON. */
export const json = (text: string): unknown =>
  Result.getOrElse(
    Result.try(() => ExactJson.parse(text)),
    () => undefined
  )

const ours = (payload: unknown, names: Readonly<Record<string, string>>): unknown => {
  if (Array.isArray(payload)) return payload.map((item) => ours(item, names))
  if (!Predicate.isReadonlyObject(payload)) return payload
  return Object.fromEntries(Object.entries(payload).map(([name, value]) => [renameOf(names, name), value]))
}

/** The envelope with its payload under `data`, and the names of our contract; without `data` if it holds no payload. */
export const envelope = (body: unknown, { payload = "data", response }: Differences): unknown => {
  if ((payload === "data" && response === undefined) || !Predicate.isReadonlyObject(body)) return body
  const { data: _, ...rest } = body
  if (!Object.hasOwn(body, payload)) return rest
  return { ...rest, data: response === undefined ? body[payload] : ours(body[payload], response) }
}
