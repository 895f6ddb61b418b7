/** Makes the codec of an endpoint from its declaration. Pure. */
import * as Result from "effect/Result"
import { type Continued, nextCursor, withCursor } from "../answer/ListAnswer.ts"
import type { Meta } from "../answer/pageModel.ts"
import * as AssumedWire from "./AssumedWire.ts"
import type { Declaration } from "./Declaration.ts"
import * as EncodeInput from "./encodeInput.ts"
import * as Envelope from "./openEnvelope.ts"
import type { Codec } from "./Operation.ts"

interface Listed extends Continued {
  readonly data: unknown
  readonly meta?: Meta
}

const toPage = ({ data, meta, [nextCursor]: next }: Listed): object => ({
  items: data,
  meta,
  ...(next === undefined ? {} : typeof next === "string" ? { nextCursor: next } : { [nextCursor]: next })
})

export const make = <A>(declaration: Declaration): Codec<A> => {
  const read = Envelope.reader(declaration)
  const open = (envelope: Listed): unknown => (declaration.isList ? toPage(envelope) : envelope.data)
  return {
    prepare: EncodeInput.make<A>(declaration),
    decode: (envelope, place) =>
      Result.mapBoth(read(envelope), {
        onSuccess: (decoded) => open(withCursor(envelope, decoded) as Listed) as A,
        onFailure: (error) => Envelope.describeIssue(error, place)
      }),
    wire: AssumedWire.make(declaration)
  }
}
