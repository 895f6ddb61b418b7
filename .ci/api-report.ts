/**
 * The public surface of each package, from the declarations that tsc emits: `pnpm api` writes `api/<package>.md`, and
 * `pnpm api --check` fails when one of them is not what the sources say, or when an export
 * has no `@since` and `@category`. A value and a type of one name share a docstring.
 */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "..")
const directory = Path.join(root, "api")
const isCheck = process.argv.includes("--check")

const comment = /\/\*\*(?:(?!\*\/)[^])*\*\/\n?/g

/** A declaration file without its comments, private remarks of the compiler and blank lines. */
const surfaceOf = (declarations: string): string =>
  declarations
    .replaceAll(/^[ \t]*\/\*\*(?:(?!\*\/)[^])*\*\/\n/gm, "")
    .replaceAll(comment, "")
    .replaceAll(/^\/\/# sourceMappingURL.*$/gm, "")
    .replaceAll(/^import .*\n/gm, "")
    .replaceAll(/\n{2,}/g, "\n")
    .trim()

/** The names of the exports of a declaration file that lack one of the two tags. */
const untagged = (declarations: string): ReadonlyArray<string> => {
  const names = new Set<string>()
  const tagged = new Set<string>()
  const declared =
    /(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export (?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+)/g
  for (const [, doc = "", name] of declarations.matchAll(declared)) {
    names.add(name!)
    if (doc.includes("@since") && doc.includes("@category")) tagged.add(name!)
  }
  return [...names].filter((name) => !tagged.has(name))
}

const reportOf = (name: string): { readonly report: string; readonly faults: ReadonlyArray<string> } => {
  const dist = Path.join(root, "packages", name, "dist")
  const sources = globSync("*.ts", { cwd: Path.join(root, "packages", name, "src") })
  // The declarations of the modules that there are: those of a module that is gone may still lie there.
  const modules = sources.map((file) => file.replace(/\.ts$/, ".d.ts")).sort()
  const sections = modules.map((file) => {
    const surface = surfaceOf(readFileSync(Path.join(dist, file), "utf8"))
    return `## ${file.replace(/\.d\.ts$/, "")}\n\n\`\`\`ts\n${surface}\n\`\`\`\n`
  })
  const faults = modules.flatMap((file) =>
    untagged(readFileSync(Path.join(dist, file), "utf8")).map((exported) => `${name}/${file}: ${exported}`)
  )
  const head = `# @effect-custody/${name}\n\nEvery public declaration, without comments. \`pnpm api\` writes this page.\n`
  return { report: [head, ...sections].join("\n"), faults }
}

const packages = readdirSync(Path.join(root, "packages"))
  .filter((name) => existsSync(Path.join(root, "packages", name, "package.json")))
  .sort()

execFileSync(Path.join(root, "node_modules/.bin/tsc"), ["-b", ...packages.map((name) => `packages/${name}`)], {
  cwd: root,
  stdio: "inherit"
})

const problems: Array<string> = []
mkdirSync(directory, { recursive: true })
for (const name of packages) {
  const file = Path.join(directory, `${name}.md`)
  const { faults, report } = reportOf(name)
  problems.push(...faults.map((fault) => `${fault} has no @since or no @category`))
  if (!isCheck) writeFileSync(file, report)
  else if (!existsSync(file) || readFileSync(file, "utf8") !== report) {
    problems.push(`api/${name}.md is not what the sources say: run pnpm api, and look at the difference`)
  }
}
for (const file of readdirSync(directory)) {
  if (!packages.includes(file.replace(/\.md$/, ""))) problems.push(`api/${file} is of no package`)
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
