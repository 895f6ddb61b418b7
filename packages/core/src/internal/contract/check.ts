/** Checks a contract, in code or from a file, against the operations of an API. Pure. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ContractFile from "../../ContractFile.ts"
import type { Code } from "../../Wire.ts"
import { isCode } from "./wireInCode.ts"
import { shapesOf } from "./compile.ts"
import type { Api } from "./entries.ts"
import * as Operation from "./checkOperation.ts"
import { checkPartsOfAll, checkPartsOfOne } from "./checkParts.ts"
import { meant, meantOperation, problem, type Problems, quoted, strangersIn, structure, within } from "./problem.ts"
import { type OperationShape, recordOf } from "./shape.ts"

const Unchecked = Schema.Record(Schema.String, Schema.Unknown)

/** Parts whose content is checked separately, so that every mistake is reported at its own place. */
const inner = {
  fields: Schema.optionalKey(Unchecked),
  response: Schema.optionalKey(Unchecked),
  paging: Schema.optionalKey(Schema.Unknown),
  meta: Schema.optionalKey(Schema.Unknown),
  errors: Schema.optionalKey(Schema.Unknown),
  source: Schema.optionalKey(Schema.Unknown),
  confirmed: Schema.optionalKey(Schema.Unknown)
}

const Entry = Schema.Struct({ ...ContractFile.Differences.fields, ...inner })
const { confirmed: _, source: __, ...ofAll } = inner
const Defaults = Schema.Struct({ ...ContractFile.Defaults.fields, ...ofAll })
const Root = Schema.Struct({
  ...ContractFile.File.fields,
  source: Schema.optionalKey(Schema.Unknown),
  defaults: Schema.optionalKey(Schema.Unknown),
  operations: Schema.optionalKey(Unchecked),
  proposed: Schema.optionalKey(Unchecked)
})

type Json = Readonly<Record<string, unknown>>

/** The defaults that apply to operations, as far as they are valid. */
interface Known {
  readonly shapes: ReadonlyMap<string, OperationShape>
  /** The operations that a name was probably meant to be. */
  readonly meantFor: (name: string) => string
  readonly defaults: ContractFile.Defaults
}

const checkSource = (given: Json): Problems =>
  given["source"] === undefined ? [] : within(["source"], structure(ContractFile.Source, given["source"]))

const checkConfirmed = ({ confirmed }: Json, isProposed: boolean): Problems => {
  if (confirmed === undefined) return []
  if (isProposed) return [problem(["confirmed"], "a proposal is not confirmed", 'it under "operations"')]
  return within(["confirmed"], structure(ContractFile.Confirmed, confirmed))
}

/** The names of the fields that any operation has. */
const namesIn = (shapes: Known["shapes"], of: (shape: OperationShape) => Iterable<string>): ReadonlyArray<string> => [
  ...new Set([...shapes.values()].flatMap((shape) => [...of(shape)]))
]

const checkDefaults = (shapes: Known["shapes"], given: unknown): Problems => {
  const form = structure(Defaults, given)
  if (!Predicate.isReadonlyObject(given)) return form
  const { contentType, fields, prefix, response } = given
  const inputs = namesIn(shapes, ({ input }) => input.keys())
  const outputs = namesIn(shapes, ({ payload }) => recordOf(payload)?.fields.keys() ?? [])
  const strangers = (part: string, names: unknown, known: ReadonlyArray<string>): Problems =>
    Predicate.isReadonlyObject(names)
      ? strangersIn(Object.keys(names), known).map((name) =>
          problem([part, name], `no operation has a field ${quoted(name)}`, meant(name, known))
        )
      : []
  return [
    ...form,
    ...checkPartsOfAll(given),
    ...strangers("fields", fields, inputs),
    ...strangers("response", response, outputs),
    ...(form.length > 0 ? [] : checkOfAll(shapes, given as ContractFile.Defaults)),
    ...(typeof prefix === "string" && prefix !== "" ? within(["prefix"], checkPrefix(prefix)) : []),
    ...(typeof contentType === "string" && !contentType.includes("json")
      ? [problem(["contentType"], `${quoted(contentType)} is not a JSON type`, 'such as "application/vnd.api+json"')]
      : [])
  ]
}

/** Checks the forms of places and origins for all operations, and the names of the fields within. */
const checkOfAll = (shapes: Known["shapes"], given: ContractFile.Defaults): Problems => {
  const forms = Operation.checkForms(given)
  if (forms.length > 0) return forms
  const records = new Map(
    [...shapes.values()].flatMap(({ payload }) =>
      [...(recordOf(payload)?.fields ?? [])].flatMap(([name, field]) => {
        const record = recordOf(field)
        return record === undefined ? [] : [[name, record] as const]
      })
    )
  )
  return Object.entries(given.response ?? {}).flatMap(([name, origin]) =>
    typeof origin === "string" || origin.fields === undefined
      ? []
      : within(["response", name, "fields"], Operation.checkOrigins(quoted(name), records.get(name), origin.fields))
  )
}

const checkPrefix = (prefix: string): Problems =>
  Operation.isPath(prefix) && prefix !== "/" && !prefix.includes("/:")
    ? Operation.checkBase(prefix, undefined)
    : [
        problem(
          [],
          `${quoted(prefix)} is not a path`,
          'a path such as "/v2", put between the base address and each path'
        )
      ]

const checkEntry = (
  { defaults, meantFor, shapes }: Known,
  name: string,
  given: unknown,
  isProposed: boolean
): Problems => {
  const shape = shapes.get(name)
  if (shape === undefined) {
    return [problem([], `there is no operation ${quoted(name)}`, meantFor(name))]
  }
  if (given === true) return Operation.checkSuccess(shape, undefined, defaults)
  if (isCode(given)) return checkCode(shape, given, defaults)
  if (!Predicate.isReadonlyObject(given)) {
    return [problem([], `${quoted(given)} is not an entry`, "true, or an object of differences")]
  }
  const form = structure(Entry, given)
  const common = [...form, ...checkPartsOfOne(given), ...checkSource(given), ...checkConfirmed(given, isProposed)]
  // Fields are compared with the operation once the form of the entry is right.
  const isObjects = [given["fields"], given["response"]].every(
    (each) => each === undefined || Predicate.isReadonlyObject(each)
  )
  const forms = isObjects ? Operation.checkForms(given as ContractFile.Differences) : []
  if (
    forms.length > 0 ||
    form.some(({ path }) => path.length > 0 && Object.hasOwn(given, path[0]!) && path[0]! in Entry.fields)
  ) {
    return [...common, ...forms]
  }
  return [...common, ...Operation.check(shape, given as ContractFile.Differences, defaults)]
}

/** The method, path and statuses of a wire in code are checked like those in data; the compiler checks the rest. */
const checkCode = (
  shape: OperationShape,
  { method, path, readOnly, success }: Code,
  defaults: ContractFile.Defaults
): Problems => [
  ...Operation.checkMethod(shape, { method, ...(readOnly === undefined ? {} : { readOnly }) }),
  ...Operation.checkSuccess(shape, success, defaults),
  ...(Operation.isPath(path)
    ? within(["path"], Operation.checkBase(path, defaults.prefix))
    : [problem(["path"], `${quoted(path)} is not a path`, `such as ${quoted(shape.route.path)}`)])
]

const checkEntries = (known: Known, part: "operations" | "proposed", entries: unknown): Problems =>
  Predicate.isReadonlyObject(entries)
    ? Object.entries(entries).flatMap(([name, given]) =>
        within([part, name], checkEntry(known, name, given, part === "proposed"))
      )
    : []

/** The problem of a contract that is no object at all. */
export const noObject = problem(
  [],
  "the contract is not an object",
  `such as { "operations": { "wallets.get": true } }`
)

/** Everything that is wrong with a contract for the operations of an API. */
export const check = (api: Api, given: unknown): Problems => {
  if (!Predicate.isReadonlyObject(given)) {
    return [noObject]
  }
  const shapes = shapesOf(api)
  const inRoot = Object.keys(given).filter((name) => shapes.has(name))
  const inDefaults =
    given["defaults"] === undefined ? [] : within(["defaults"], checkDefaults(shapes, given["defaults"]))
  // Operations are checked against valid defaults only, so that a mistake in the defaults is not reported for each
  // operation.
  const defaults = inDefaults.length > 0 ? {} : ((given["defaults"] ?? {}) as ContractFile.Defaults)
  const known: Known = { shapes, meantFor: meantOperation(shapes.keys()), defaults }
  const { operations, proposed } = given
  const twice =
    Predicate.isReadonlyObject(operations) && Predicate.isReadonlyObject(proposed) ? Object.keys(proposed) : []
  return [
    ...inRoot.map((name) => problem([name], `${quoted(name)} is at the top level`, 'move it under "operations"')),
    ...structure(Root, Object.fromEntries(Object.entries(given).filter(([name]) => !inRoot.includes(name)))),
    ...checkSource(given),
    ...inDefaults,
    ...checkEntries(known, "operations", operations),
    ...checkEntries(known, "proposed", proposed),
    ...twice
      .filter((name) => Object.hasOwn(operations as Json, name))
      .map((name) => problem(["proposed", name], `${quoted(name)} is already confirmed`, "only one entry for it"))
  ]
}
