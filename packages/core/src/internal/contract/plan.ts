/** What a contract says about one operation, compiled once for both sides: the client and the emulator. Pure. */
import * as Result from "effect/Result"
import type { Defaults, Differences } from "../../ContractFile.ts"
import type { Route } from "../../Operation.ts"
import type { Sign } from "../falseSuccess.ts"
import * as Errors from "./errors.ts"
import * as Paging from "./paging.ts"
import * as Path from "./path.ts"
import * as Record from "./record.ts"
import * as WithDefaults from "./withDefaults.ts"
import { type OperationShape, type Part, type Shape } from "./shape.ts"
import * as Values from "./values.ts"

/** A field of the input. */
export interface Field {
  readonly name: string
  /** The part of our JSON that it is in. */
  readonly part: Part
  readonly target: WithDefaults.Target
  readonly conversion: Values.Conversion | undefined
}

export interface Plan {
  readonly shape: OperationShape
  readonly route: Route
  readonly fields: ReadonlyMap<string, Field>
  readonly constants: ReadonlyArray<WithDefaults.Constant>
  readonly contentType: string | undefined
  /** Whether the request has a body. */
  readonly body: OperationShape["body"]
  /** `undefined`: pages are asked for by the fields of the input. */
  readonly paging: Paging.PagingWire | undefined
  readonly meta: ReturnType<typeof Paging.ofMeta>
  /** The statuses of a success, or `undefined` for any 2xx. */
  readonly success: ReadonlySet<number> | undefined
  readonly doubtful: ReadonlySet<number>
  /** Where an answer says that it is a success, if the contract knows. */
  readonly sign: Sign | undefined
  /** Where the payload is; `undefined`: it is the body. */
  readonly payloadAt: Path.Segments | undefined
  /** Whether the contract names that place: then a null in it comes from the service. */
  readonly isPayloadSaid: boolean
  readonly payload: Record.Mapping | undefined
  /** What the contract says about the record of the payload. */
  readonly record: Record.Said
  readonly casing: Defaults["casing"]
  readonly errors: Errors.ErrorWire
}

const isList = ({ payload }: OperationShape): boolean => payload._tag === "List"

const leafOf = (shape: Shape): (Shape & { readonly _tag: "Leaf" }) | undefined =>
  shape._tag === "Leaf" ? shape : shape._tag === "List" ? leafOf(shape.item) : undefined

const ofEach = (conversion: Values.Conversion): Values.Conversion => ({
  write: (value, beside) =>
    Array.isArray(value)
      ? Result.all(value.map((each) => conversion.write(each, beside)))
      : conversion.write(value, beside),
  read: (value, beside) =>
    Array.isArray(value) ? value.map((each) => conversion.read(each, beside)) : conversion.read(value, beside)
})

const conversionOf = (name: string, shape: Shape, said: Differences, defaults: Defaults) => {
  const leaf = leafOf(shape)
  const place = WithDefaults.placeOf(name, said, defaults)
  const conversion =
    leaf === undefined ? undefined : Values.make(leaf, typeof place === "string" ? {} : place, defaults)
  return conversion === undefined || shape._tag === "Leaf" ? conversion : ofEach(conversion)
}

/** Where the payload is according to the contract; `null`: it is the body; `undefined`: the contract does not say. */
const payloadPath = (shape: OperationShape, said: Differences, defaults: Defaults): string | null | undefined => {
  const ofLists = isList(shape) ? [said.items, said.payload, defaults.items, defaults.payload] : []
  return [...ofLists, said.payload, defaults.payload].find((each) => each !== undefined)
}

/** Our name of each field, by the name that the service uses for it in error messages. */
const theirNames = (fields: ReadonlyMap<string, Field>): ReadonlyMap<string, string> =>
  new Map(
    [...fields.values()].map(({ name, target }) => [target.in === "body" ? target.path.at(-1)! : target.name, name])
  )

/** Compiles what a contract says about an operation, with the defaults of its API. */
export const make = (shape: OperationShape, said: Differences, defaults: Defaults): Plan => {
  const route = WithDefaults.routeOf(shape, said, defaults)
  const fields = new Map(
    [...shape.input].map(([name, { part, shape: of }]): readonly [string, Field] => [
      name,
      {
        name,
        part,
        target: WithDefaults.targetOf(shape, name, said, defaults),
        conversion: conversionOf(name, of, said, defaults)
      }
    ])
  )
  const constants = WithDefaults.constantsOf(said, defaults)
  const saidPaging = said.paging ?? defaults.paging
  const paging = shape.isPaged && saidPaging !== undefined ? Paging.make(saidPaging, defaults.casing) : undefined
  const errors = WithDefaults.errorsOf(said, defaults)
  const names = theirNames(fields)
  const success = said.success ?? defaults.success
  const record: Record.Said = {
    origins: { ...defaults.response, ...said.response },
    within: Path.segmentsOf(said.record ?? defaults.record ?? "").filter((segment) => segment !== "")
  }
  const isInBody = ({ target }: { readonly target: WithDefaults.Target }): boolean => target.in === "body"
  const payloadAt = payloadPath(shape, said, defaults)
  const hasBody = [...fields.values(), ...constants].some(isInBody)
  return {
    shape,
    route,
    fields,
    constants,
    contentType: defaults.contentType,
    body: hasBody ? (shape.body === "None" ? "Json" : shape.body) : "None",
    paging,
    meta: Paging.ofMeta(said.meta ?? defaults.meta, defaults.casing, paging?.first ?? 1),
    success: success === undefined ? undefined : new Set(success),
    doubtful: new Set(shape.safety === "read" ? [] : errors.doubtful),
    sign: errors.when === undefined ? undefined : { at: Path.segmentsOf(errors.when.at), success: errors.when.success },
    payloadAt: payloadAt === null ? undefined : Path.segmentsOf(payloadAt ?? "data"),
    isPayloadSaid: payloadAt !== undefined,
    payload: Record.ofPayload(shape.payload, record, defaults),
    record,
    casing: defaults.casing,
    errors:
      Errors.isSaid(errors) || [...names].some(([their, our]) => their !== our)
        ? Errors.make(errors, names)
        : Errors.assumed
  }
}
