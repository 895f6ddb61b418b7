/** The smallest payload of an operation, as code for a test. */
import * as SchemaAST from "effect/SchemaAST"
import * as Contracts from "./contracts.ts"
import { isAmount, isSecret, known } from "./arbitraries.ts"

const codeOf = (ast: SchemaAST.AST, name: string): string => {
  if (SchemaAST.isObjects(ast)) {
    const promised = ast.propertySignatures.filter(({ type }) => !SchemaAST.isOptional(type))
    const fields = promised.map((field) => `${String(field.name)}: ${codeOf(field.type, String(field.name))}`)
    return fields.length === 0 ? "{}" : `{ ${fields.join(", ")} }`
  }
  if (SchemaAST.isArrays(ast)) return "[]"
  if (SchemaAST.isString(ast)) return JSON.stringify(known(ast)[0] ?? `${name}-1`)
  if (isAmount(ast)) return `Amount.of("1")`
  if (isSecret(ast)) return `Redacted.make("${name}")`
  return "1"
}

/** The code of an operation's smallest payload. */
export const exampleOf = (operation: string): string => {
  if (Contracts.operationOf(operation) === undefined) return "…"
  return Contracts.isList(operation) ? "CustodyTest.page([])" : codeOf(Contracts.dataOf(operation), "")
}
