/** Generates values of the contracts' types, from their schemas. */
import * as Amount from "@effect-custody/core/Amount"
import * as Upload from "@effect-custody/core/Upload"
import * as Arbitrary from "effect/Arbitrary"
import * as BigDecimal from "effect/BigDecimal"
import * as DateTime from "effect/DateTime"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

type Generator = Arbitrary.Arbitrary<unknown>

const int = (minimum: number, maximum: number): Arbitrary.Arbitrary<number> =>
  Arbitrary.schema(Schema.Int.pipe(Schema.check(Schema.isBetween({ minimum, maximum }))))

const pickFrom = <const T extends string | number>(...choices: ReadonlyArray<T>): Arbitrary.Arbitrary<T> =>
  Arbitrary.schema(Schema.Literals(choices))

/** Amounts: zero, whole, in cents, and in the smallest unit of a coin. */
export const amount: Arbitrary.Arbitrary<Amount.Amount> = Arbitrary.map(
  Arbitrary.all({ units: int(0, 1_000_000), scale: pickFrom(0, 2, 6, 8, 18), rest: int(0, 99) }),
  ({ rest, scale, units }) => {
    const fraction = BigInt(scale === 0 ? 0 : rest)
    return Amount.fromBigDecimalUnsafe(BigDecimal.make(BigInt(units) * 10n ** BigInt(scale) + fraction, scale))
  }
)

/** 2024 to 2026. */
const millis = int(1_704_067_200, 1_798_761_599).pipe(Arbitrary.map((seconds) => seconds * 1000))

/** Texts, sometimes not ASCII. */
const words = pickFrom("Treasury", "Alice & Bob", "Müller GmbH", "naïve", "cold storage", "rent 03/2026", "日本", "x")

const string = (ast: SchemaAST.AST): Generator => {
  const known = SchemaAST.resolveAt<ReadonlyArray<string>>("custodyKnown")(ast) ?? []
  if (known.length > 0) return pickFrom(...known)
  return Arbitrary.map(Arbitrary.all({ word: words, number: int(1, 9_999) }), ({ number, word }) => `${word} ${number}`)
}

const file: Arbitrary.Arbitrary<Upload.File> = Arbitrary.map(
  Arbitrary.all({ name: words, size: int(0, 64) }),
  ({ name, size }) =>
    Upload.fromBytes({ name, contentType: "application/octet-stream", bytes: new Uint8Array(size).fill(7) })
)

/** Reads the annotation of the type itself, not of its checks. */
const readRepresentation = ({ annotations }: SchemaAST.AST): string | undefined =>
  (annotations?.["representation"] as { readonly id: string } | undefined)?.id

const isDeclaredAs = (schema: Schema.Top) => {
  const id = readRepresentation(SchemaAST.toType(schema.ast))
  return (ast: SchemaAST.AST): boolean => id !== undefined && readRepresentation(ast) === id
}

const isAmount = isDeclaredAs(Schema.BigDecimal)
const isSecret = isDeclaredAs(Schema.Redacted(Schema.String))
const isDateTime = isDeclaredAs(Schema.DateTimeUtc)

const declared = (ast: SchemaAST.Declaration): Generator => {
  if (isAmount(ast)) return amount
  if (isDateTime(ast)) return Arbitrary.map(millis, (at) => DateTime.makeUnsafe(at))
  if (isSecret(ast)) return Arbitrary.map(int(1, 1_000_000), (secret) => Redacted.make(`secret-${secret}`))
  return ast.annotations?.["title"] === "File" ? file : Arbitrary.schema(Schema.make(ast))
}

const absent = Symbol("absent")

/** Objects with these fields. Optional fields are sometimes absent. There are no other fields. */
export const fields = (signatures: ReadonlyArray<SchemaAST.PropertySignature>): Arbitrary.Arbitrary<object> => {
  const all = signatures.map(({ name, type }) => {
    // No unknown fields are generated, so a record has an empty `extra`.
    if (name === "extra")
      return ["extra", Arbitrary.schema(Schema.Literals([0])).pipe(Arbitrary.map(() => ({})))] as const
    const value = generator(type)
    if (!SchemaAST.isOptional(type)) return [String(name), value] as const
    const maybe = Arbitrary.map(
      Arbitrary.all({ there: Arbitrary.schema(Schema.Boolean), value }),
      ({ there, value }): unknown => (there ? value : absent)
    )
    return [String(name), maybe] as const
  })
  return Arbitrary.map(Arbitrary.all(Object.fromEntries(all)), (values) =>
    Object.fromEntries(Object.entries(values).filter(([, value]) => value !== absent))
  )
}

const unchecked = (ast: SchemaAST.AST): Generator => {
  if (SchemaAST.isString(ast)) return string(ast)
  if (SchemaAST.isNumber(ast)) return int(1, 100)
  if (SchemaAST.isUnknown(ast)) return words
  if (SchemaAST.isDeclaration(ast)) return declared(ast)
  if (SchemaAST.isUnion(ast) && ast.types.every((type) => SchemaAST.isString(type) || SchemaAST.isNumber(type))) {
    return unchecked(ast.types[0]!)
  }
  if (SchemaAST.isObjects(ast) && ast.propertySignatures.length > 0) return fields(ast.propertySignatures)
  if (SchemaAST.isArrays(ast)) return Arbitrary.array(generator(ast.rest[0]!), { minLength: 1, maxLength: 5 })
  return Arbitrary.schema(Schema.make(ast))
}

/** Generates values of a type. */
export const generator = (ast: SchemaAST.AST): Generator => {
  const values = unchecked(ast)
  return "checks" in ast && ast.checks !== undefined ? Arbitrary.filter(values, Schema.is(Schema.make(ast))) : values
}
