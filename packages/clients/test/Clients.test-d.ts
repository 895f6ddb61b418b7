/** The types of `find` and `stream`. */
import type { Clients } from "@effect-custody/clients"
import type { Id } from "@effect-custody/core"
import type { Effect, Stream } from "effect"
import type { Read, ReadOfResource, TagsOf } from "../../../test/support/errorTags.ts"
import type { Equal, Expect } from "../../../test/support/types.ts"

/** `find` fails as `get` does, without `NotFound`. */
export type Find = Expect<Equal<TagsOf<typeof Clients.find>, Exclude<ReadOfResource, "NotFound">>>

type FoundId = Extract<
  Effect.Success<ReturnType<typeof Clients.find>>,
  { readonly _tag: "Some" }
>["value"]["externalId"]

/** The id of a client is branded. */
export type Branded = Expect<Equal<FoundId, Id.ClientId>>

/** A stream fails as its list does, or with a paging error. */
export type Streamed = Expect<
  Equal<Stream.Error<ReturnType<typeof Clients.stream>>["_tag"], Read | "PageRepeated" | "PagesIncomplete">
>
