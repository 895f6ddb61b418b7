/** Writes the files of the corpus: `node test/wire/vectors/generate.ts`. */
import { writeFileSync } from "node:fs"
import * as Path from "node:path"
import { files } from "./corpus.ts"

for (const [name, text] of Object.entries(files)) writeFileSync(Path.join(import.meta.dirname, name), text)
