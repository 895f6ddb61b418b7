/** Checks the parts of an entry or of the defaults: places, origins, paging, errors, constants. Pure. */
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ContractFile from "../../ContractFile.ts"
import { oneOf, problem, type Problems, quoted, structure, within } from "./problem.ts"

const styles = ["page", "offset", "cursor", "link", "none"] as const

const checkPaging = (given: unknown): Problems => {
  if (!Predicate.isReadonlyObject(given)) return [problem([], `${quoted(given)} is not valid`, "an object")]
  const member = ContractFile.Paging.members.find(({ fields }) => fields.style.literal === given["style"])
  if (member === undefined) {
    return [problem(["style"], `${quoted(given["style"])} is not a style of paging`, oneOf(styles))]
  }
  const problems = structure(member, given)
  const names = Object.entries(given).filter(([part]) => ["page", "size", "offset", "cursor"].includes(part))
  const twice = names.filter(([, name], at) => names.findIndex(([, other]) => other === name) !== at)
  return [
    ...problems,
    ...names
      .filter(([, name]) => name === "")
      .map(([part]) => problem([part], "the name is empty", "the service's name of the query key")),
    ...twice.map(([part, name]) =>
      problem([part], `two parts of paging would both be sent as ${quoted(name)}`, "a different name for each")
    ),
    ...(typeof given["next"] === "string" ? within(["next"], checkDotted(given["next"])) : [])
  ]
}

/** A dotted path goes through objects: each of its segments is a key. */
const checkDotted = (path: string): Problems =>
  path.split(".").includes("")
    ? [problem([], `${quoted(path)} has an empty segment`, 'keys with dots between them, such as "result.items"')]
    : []

const reserved = ["x-access-token", "authorization", "cookie", "host", "content-type", "content-length", "accept"]

const isToken = (name: string): boolean =>
  name !== "" && Array.from(name).every((character) => /[\w!#$%&'*+.^`|~-]/.test(character))

/** The name of a header that a contract may set. */
export const checkHeader = (name: string): Problems => {
  if (!isToken(name)) return [problem([], `${quoted(name)} is not a header name`, 'a name such as "x-reference"')]
  return reserved.includes(name.toLowerCase())
    ? [problem([], `the SDK sets the header ${quoted(name)}`, "another header")]
    : []
}

/** A constant of one operation. */
const checkConstant = (key: string): Problems => {
  const [place = "", ...rest] = key.split(".")
  const name = rest.join(".")
  const example = 'such as "query.dry_run", "header.x-version" or "body.type"'
  if (!["query", "header", "body"].includes(place) || name === "") {
    return [problem([], `${quoted(key)} does not say where the value goes`, example)]
  }
  if (place === "header") return checkHeader(name)
  return place === "body" ? checkDotted(name) : []
}

/** A constant of all operations. */
const checkConstantOfAll = (key: string): Problems =>
  key.startsWith("body.") && key !== "body."
    ? [problem([], "not every operation has a body", "the constant in each operation that has one")]
    : checkConstant(key)

/**
 * Refusals that are about the session or the rate of requests are never doubtful: the service has not processed the
 * request.
 */
const certain = [401, 429, 498]

const checkErrors = (given: unknown): Problems => {
  const problems = structure(ContractFile.Errors, given)
  if (problems.length > 0) return problems
  const { code, doubtful = [], fields, message, when } = given as ContractFile.Errors
  const paths = Object.entries({ code, message, fields }).flatMap(([name, path]) =>
    path === undefined ? [] : within([name], checkDotted(path))
  )
  return [
    ...paths,
    ...(when === undefined ? [] : within(["when", "at"], checkDotted(when.at))),
    ...(when?.success.length === 0
      ? [problem(["when", "success"], "no value says success", "the values that do, such as [0]")]
      : []),
    ...doubtful.flatMap((status, at) =>
      status >= 400 && status < 500 && !certain.includes(status)
        ? []
        : [
            problem(
              ["doubtful", at],
              certain.includes(status)
                ? `after ${status} it is certain that the service has not acted`
                : `${status} is not a refusal`,
              "statuses from 400 to 499, such as 409; a 5xx is doubtful already"
            )
          ]
    )
  ]
}

const checkMeta = (given: unknown): Problems => {
  const problems = structure(ContractFile.Meta, given)
  return problems.length > 0 || !Predicate.isReadonlyObject(given)
    ? problems
    : Object.entries(given).flatMap(([name, path]) => within([name], checkDotted(String(path))))
}

/** The parts that are dotted paths. */
const dotted = ["payload", "items", "record", "body"] as const

type Given = Readonly<Record<string, unknown>>

/** The parts that one operation and all of them can have. */
const checkParts = (given: Given, constant: (key: string) => Problems): Problems => {
  const { constants, errors, meta, paging, success } = given
  return [
    ...dotted.flatMap((name) => (typeof given[name] === "string" ? within([name], checkDotted(given[name])) : [])),
    ...(paging === undefined ? [] : within(["paging"], checkPaging(paging))),
    ...(meta === undefined ? [] : within(["meta"], checkMeta(meta))),
    ...(errors === undefined ? [] : within(["errors"], checkErrors(errors))),
    ...(Predicate.isReadonlyObject(constants)
      ? Object.keys(constants).flatMap((key) => within(["constants", key], constant(key)))
      : []),
    ...(Array.isArray(success) && (success.length === 0 || success.some((status) => !(status >= 200 && status < 300)))
      ? [problem(["success"], `${quoted(success)} are not success statuses`, "statuses from 200 to 299")]
      : [])
  ]
}

/** Those parts in an entry: of one operation. */
export const checkPartsOfOne = (given: Given): Problems => checkParts(given, checkConstant)

/** Those parts in the defaults: of all operations. */
export const checkPartsOfAll = (given: Given): Problems => checkParts(given, checkConstantOfAll)

/** An origin without its `fields`, which are checked one by one. */
export const OriginForm = Schema.Struct({
  ...ContractFile.OriginFields.fields,
  fields: Schema.optionalKey(Schema.Record(Schema.String, Schema.Unknown))
})

/** What is wrong with the form of a place or an origin. */
export const checkForm = (schema: typeof ContractFile.PlaceFields | typeof OriginForm, given: unknown): Problems => {
  if (given === "") return [problem([], "the name is empty", "the service's name")]
  if (typeof given === "string") return []
  if (!Predicate.isReadonlyObject(given)) {
    return [problem([], `${quoted(given)} is not valid`, 'a name, or an object such as { "at": "amount.value" }')]
  }
  const problems = structure(schema, given)
  if (problems.length > 0) return problems
  const { as, at, fields = {}, name, open, values } = given as ContractFile.OriginFields
  return [
    ...Object.entries(fields).flatMap(([inner, origin]) => within(["fields", inner], checkForm(schema, origin))),
    ...(at === undefined ? [] : within(["at"], checkDotted(at))),
    ...(name === "" ? [problem(["name"], "the name is empty", "the service's name")] : []),
    ...(at !== undefined && name !== undefined
      ? [problem(["name"], '"at" and "name" cannot be combined', '"at", a dotted path, or "name", a literal name')]
      : []),
    ...(open !== undefined && values === undefined
      ? [problem(["open"], '"open" has no effect without "values"', 'add "values", or remove "open"')]
      : []),
    ...(as !== undefined && values !== undefined
      ? [problem(["as"], '"values" and "as" cannot be combined', '"values" or "as"')]
      : []),
    ...(values === undefined ? [] : within(["values"], checkValues(values)))
  ]
}

const checkValues = (values: NonNullable<ContractFile.PlaceFields["values"]>): Problems => {
  const of = new Map<string, string>()
  return Object.entries(values).flatMap(([ours, theirs]) => {
    const listed = Array.isArray(theirs) ? theirs : [theirs]
    if (listed.length === 0) {
      return [problem([ours], `no service value is given for ${quoted(ours)}`, "a value, or several")]
    }
    return listed.flatMap((value) => {
      const other = of.get(String(value))
      of.set(String(value), ours)
      return other === undefined
        ? []
        : [
            problem(
              [ours],
              `${quoted(value)} would be read as ${quoted(other)} and as ${quoted(ours)}`,
              "each service value once"
            )
          ]
    })
  })
}
