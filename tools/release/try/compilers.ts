/** What the compilers of consumers say of our declarations, with nothing skipped. */
import { globSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { modulesOf, packages, specifierOf } from "../../workspace.ts"
import { inTool, must, node } from "./run.ts"

const compilers = [
  { name: "TypeScript 5.9", tool: "typescript-5.9" },
  { name: "TypeScript 7", tool: "typescript-7" }
]

const settings = [
  { name: "nodenext", module: "NodeNext", moduleResolution: "NodeNext" },
  { name: "bundler", module: "ESNext", moduleResolution: "Bundler" }
]

const strictest = {
  target: "ES2024",
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  types: ["node"],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  noEmit: true
}

/** Compiles the consumer's modules, and one that imports every module there is, in a folder where they are installed. */
export const compilations = (folder: string) => {
  const specifiers = packages.flatMap((one) => modulesOf(one).map(({ name }) => specifierOf(one.name, name)))
  writeFileSync(
    Path.join(folder, "everything.ts"),
    specifiers.map((specifier, index) => `export * as M${index} from "${specifier}"\n`).join("")
  )
  const files = globSync("*.ts", { cwd: folder })
  return compilers.flatMap(({ name: compiler, tool }) =>
    settings.map(({ name: resolution, ...how }) => ({
      by: `${compiler}, ${resolution}`,
      run: () => {
        const project = `tsconfig.${resolution}.json`
        writeFileSync(Path.join(folder, project), JSON.stringify({ compilerOptions: { ...strictest, ...how }, files }))
        return must(node(inTool(tool, "bin/tsc"), ["-p", project, "--pretty", "false"], { cwd: folder }))
      }
    }))
  )
}
