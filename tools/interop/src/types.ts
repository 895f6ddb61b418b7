/** The types of the document's client, by openapi-typescript. */
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"
import openapiTS, { astToString } from "openapi-typescript"
import ts from "typescript"
import { document, generated } from "./tools.ts"

/** Writes them. A file of a form is a `Blob`. */
export const writeTypes = async (): Promise<void> => {
  const blob = ts.factory.createTypeReferenceNode("Blob")
  const nodes = await openapiTS(pathToFileURL(document), {
    transform: ({ format }) => (format === "binary" ? blob : undefined)
  })
  writeFileSync(Path.join(generated, "api.ts"), astToString(nodes))
}
