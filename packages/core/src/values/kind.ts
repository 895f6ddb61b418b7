/** The kind of a value, which our schema constructors state: services write amounts, ids and times in different ways. */
import type * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"

export type Kind = "amount" | "id" | "time"

const key = "custodyKind"

export const annotate = <S extends Schema.Top>(kind: Kind, schema: S): S["Rebuild"] => schema.annotate({ [key]: kind })

/** A check that is added later keeps the kind of the schema before it. */
export const of = (ast: SchemaAST.AST): Kind | undefined =>
  [ast, ...(ast.checks ?? [])]
    .map(({ annotations }) => annotations?.[key] as Kind | undefined)
    .find((kind) => kind !== undefined)
