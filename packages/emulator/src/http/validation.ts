/**
 * Validation messages by field for a request that does not satisfy its contract, derived from the contract's schema.
 *
 * Specification: "Errors": "a 422 for apiKey has errors.apiKey as an array of messages such as must be a string, must not
 * exceed 255 characters, should not be empty".
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import type * as SchemaIssue from "effect/SchemaIssue"

export type Fields = Readonly<Record<string, ReadonlyArray<string>>>

const typeNames: Readonly<Record<string, string>> = {
  String: "must be a string",
  Number: "must be a number",
  Boolean: "must be a boolean",
  Arrays: "must be an array",
  Objects: "must be an object"
}

/** Messages for values of the wrong type, by the `expected` annotation of a type made with `Schema.declare`. */
const declaredNames: Readonly<Record<string, string>> = {
  BigDecimal: 'must be a decimal such as "12.50"',
  "DateTime.Utc": "must be an ISO 8601 date",
  "an Upload.File": "must be a file"
}

/** The message for a value outside a fixed set. */
export const oneOf = (values: ReadonlyArray<unknown>): string =>
  `must be one of the following values: ${values.join(", ")}`

const declaredName = (ast: SchemaAST.AST): string | undefined =>
  SchemaAST.isDeclaration(ast) ? declaredNames[String(ast.annotations?.["expected"])] : undefined

const typeMessage = (ast: SchemaAST.AST): string =>
  SchemaAST.isUnion(ast) && ast.types.every(SchemaAST.isLiteral)
    ? oneOf(ast.types.map(({ literal }) => literal))
    : (declaredName(ast) ?? typeNames[ast._tag] ?? "must be a valid value")

type Filter = SchemaIssue.Filter["filter"]

const filterMessage = ({ annotations }: Filter): string =>
  typeof annotations?.["message"] === "string"
    ? annotations["message"]
    : `must be ${String(annotations?.["expected"] ?? "a valid value")}`

/** All messages for a missing field. A missing field counts as having the wrong type and failing every check. */
const missingMessages = (ast: SchemaAST.AST): ReadonlyArray<string> => [
  typeMessage(ast),
  ...(ast.checks ?? []).flatMap((check) => (check._tag === "Filter" ? [filterMessage(check)] : [])).toReversed()
]

const leaves = (issue: SchemaIssue.Issue, path: ReadonlyArray<PropertyKey>): ReadonlyArray<[string, string]> => {
  const at = (message: string): ReadonlyArray<[string, string]> => [[path.map(String).join("."), message]]
  switch (issue._tag) {
    case "Composite":
      return issue.issues.flatMap((inner) => leaves(inner, path))
    case "Pointer":
      return leaves(issue.issue, [...path, ...issue.path])
    case "Encoding":
      // For a number or a named type, a message about the decoded type is clearer than one about the encoded type.
      return SchemaAST.isNumber(issue.ast) || declaredName(issue.ast) !== undefined
        ? at(typeMessage(issue.ast))
        : leaves(issue.issue, path)
    case "Filter":
      return at(filterMessage(issue.filter))
    case "MissingKey":
      return at("should not be empty")
    case "UnexpectedKey":
      return at("should not exist")
    case "InvalidType":
    case "AnyOf":
      return at(typeMessage(issue.ast))
    default:
      return at("must be a valid value")
  }
}

/** Compiles the decoder of one part of a request. The decoder returns the value, or messages by field. */
export const makeDecoder = (schema: Schema.Top): ((input: unknown) => Result.Result<unknown, Fields>) => {
  const decode = Schema.decodeUnknownResult(schema as Schema.Codec<unknown, unknown>, {
    errors: "all",
    onExcessProperty: "error"
  })
  const encoded = SchemaAST.toEncoded(schema.ast)
  const declared = new Map(
    SchemaAST.isObjects(schema.ast)
      ? schema.ast.propertySignatures.map(({ name, type }) => [name, declaredName(type)])
      : []
  )
  const missing = new Map(
    SchemaAST.isObjects(encoded)
      ? encoded.propertySignatures.map(({ name, type }) => {
          const message = declared.get(name)
          return [String(name), message === undefined ? missingMessages(type) : [message]]
        })
      : []
  )
  return (input) => {
    const decoded = decode(input)
    if (Result.isSuccess(decoded)) return Result.succeed(decoded.success)
    const fields = new Map<string, Array<string>>()
    for (const [field, message] of leaves(decoded.failure.issue, [])) {
      const absent =
        Predicate.isReadonlyObject(input) && missing.has(field) && (input[field] ?? undefined) === undefined
      if (absent) fields.set(field, [...missing.get(field)!])
      else fields.set(field, [...(fields.get(field) ?? []), message])
    }
    return Result.fail(Object.fromEntries(fields))
  }
}
