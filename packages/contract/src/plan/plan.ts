/**
 * The plan of an operation: its differences and the contract's defaults, resolved for the client and the emulator.
 * Pure.
 */
import * as CodeWire from "./codeWire.ts"
import type { Defaults } from "../language/ContractFile.ts"
import { differences as differencesOf, type Entry, isCode, type OperationShape, routeOf } from "../language/contract.ts"
import type { Code } from "../language/Wire.ts"
import * as Errors from "./errors.ts"
import * as Fields from "./fields.ts"
import * as Paging from "./paging.ts"
import * as Path from "./path.ts"
import * as Record from "./record.ts"

export const isList = ({ payload }: OperationShape): boolean => payload._tag === "List"

/** Maps the service's names of input fields to ours, because error bodies contain the service's names. */
const theirNames = (fields: ReadonlyArray<Fields.Field>): ReadonlyMap<string, string> =>
  new Map(
    fields.flatMap(({ name, target }) =>
      target === undefined ? [] : [[target.in === "body" ? target.path.at(-1)! : target.name, name]]
    )
  )

/** Combines an operation's differences from its assumed wire with the contract's defaults. */
export const make = (shape: OperationShape, entry: Entry | undefined, defaults: Defaults) => {
  const differences = differencesOf(entry)
  const { answer, request: code }: Partial<Code> = isCode(entry) ? entry : {}
  const row = answer && CodeWire.record(shape, answer)
  const own = routeOf(shape.declaration, differences)
  const route = { ...own, path: `${defaults.prefix ?? ""}${own.path}` }
  const fields = Fields.resolve(shape, differences, defaults, own.path)
  const constants = Object.entries(differences.constants ?? {}).map(([at, value]) => ({ path: Path.parse(at), value }))
  const request = code === undefined ? Fields.mapping(fields, constants) : CodeWire.request(shape, code)
  // Code sees nothing of a list's page, so there is always a paging beside it.
  const pagingEntry = differences.paging ?? defaults.paging ?? (code && { style: "page" })
  const paging =
    shape.isPaged && pagingEntry !== undefined ? Paging.make(pagingEntry, defaults.casing, route.path) : undefined
  const errors = { ...defaults.errors, ...differences.errors }
  const success = differences.success ?? defaults.success
  const origins = row === undefined ? { ...defaults.response, ...differences.response } : {}
  const items = isList(shape) ? [differences.items, differences.payload, defaults.items] : [differences.payload]
  const payloadAt = [...items, defaults.payload].find((each) => each !== undefined)
  const ofRow = row && isList(shape) ? Record.ofItems(row) : row
  return {
    shape,
    differences,
    defaults,
    route,
    fields,
    request,
    body: request.sent.every(({ target }) => target.in !== "body")
      ? "None"
      : shape.body === "None"
        ? "Json"
        : shape.body,
    /** `undefined` if the page and the limit are ordinary fields of the input. */
    paging,
    meta: Paging.makeMeta(differences.total ?? defaults.total, defaults.casing, paging?.first ?? 1),
    /** The statuses of a success, or `undefined` for any 2xx. */
    success: success && new Set(success),
    doubtful: new Set(shape.declaration.safety === "read" ? [] : errors.doubtful),
    /** How to recognise a success from the body of an answer, if the contract defines that. */
    sign: errors.when && { at: Path.parse(errors.when.at), success: errors.when.success },
    /** The path of the payload; empty if the body itself is the payload. */
    payloadAt: payloadAt === null ? [] : Path.parse(payloadAt ?? "data"),
    /**
     * `true` if the contract defines `payloadAt`. A null at that path then proves that the service, not a proxy,
     * answered.
     */
    namesPayload: payloadAt !== undefined,
    payload: ofRow ?? Record.payloadMapping(shape.payload, origins, defaults),
    /** The media type of JSON, if it is not `application/json`. */
    mediaType: shape.declaration.safety === "session" ? undefined : defaults.mediaType,
    /** The origin of each field of the payload's record. */
    origins,
    errors: Errors.make(errors, theirNames(code === undefined ? fields : []))
  } as const
}
export type Plan = ReturnType<typeof make>
