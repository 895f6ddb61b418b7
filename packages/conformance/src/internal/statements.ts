/** The specification's observable statements, in its order, each with its check. */
import { errorStatements } from "./errorStatements.ts"
import type { Statement } from "./judgement.ts"
import { sessionStatements } from "./sessionStatements.ts"

export const statements: ReadonlyArray<Statement> = [...sessionStatements, ...errorStatements]
