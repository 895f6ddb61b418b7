/** Makes the codec of an endpoint from its declaration. Pure. */
import * as Result from "effect/Result"
import { type Continued, nextCursor } from "../answer/ListAnswer.ts"
import * as AssumedWire from "./AssumedWire.ts"
import type { Declaration } from "./Declaration.ts"
import * as EncodeInput from "./encodeInput.ts"
import * as Envelope from "./openEnvelope.ts"
import type { Codec } from "./Operation.ts"

/** The cursor of the next page is in the envelope as it was sent, because the schemas drop it. */
const toPage = ({ data, meta }: Envelope.Opened, { [nextCursor]: next }: Continued): object => ({
  items: data,
  meta,
  ...(next === undefined ? {} : typeof next === "string" ? { nextCursor: next } : { [nextCursor]: next })
})

export const make = <A>(declaration: Declaration): Codec<A> => {
  const read = Envelope.reader(declaration)
  return {
    prepare: EncodeInput.make<A>(declaration),
    decode: (envelope, place) =>
      Result.mapBoth(read(envelope), {
        onSuccess: (opened) => (declaration.isList ? toPage(opened, envelope as Continued) : opened.data) as A,
        onFailure: (error) => Envelope.describeIssue(error, place)
      }),
    wire: AssumedWire.make(declaration)
  }
}
