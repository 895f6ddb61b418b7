/**
 * The public surface of each package, from the declarations that tsc emits: `pnpm run docs api` writes the `api.md` of
 * each package. With `--check` it fails when one of them is not what the sources say, or when an export has no `@since`
 * and `@category`. A value and a type of one name share a docstring.
 */
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { modulesOf, type Package, packages, root } from "../workspace.ts"

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

/** The top-level statements of a declaration file, each with its docstring. */
const statementsOf = (declarations: string): ReadonlyArray<string> =>
  declarations.split(/^(?=\/\*\*|(?<!\*\/\n)(?:export|declare|import|interface|type)\b)/m)

const head = /^(?:export )?(?:declare )?(?:abstract )?(?:const|function|class|interface|type) (\w+?)(?:_base)?\b/m

const declares = (statement: string, name: string): boolean => head.exec(statement)?.[1] === name

const isInternal = (file: string): boolean => /^[a-z]/.test(Path.basename(file))

/**
 * Puts what a module exports from internal files in the place of the export, and the fields of an interface of another
 * module in the place of an empty interface that extends it.
 */
const resolved = (file: string): string => {
  const text = readFileSync(file, "utf8")
  const fileOf = (relative: string) => Path.join(Path.dirname(file), relative.replace(/\.ts$/, ".d.ts"))
  const withExports = text.replaceAll(
    /^export (?:type )?\{ ([^}]*) \} from "(\.[^"]*)";$/gm,
    (line, names: string, relative: string) => {
      if (!isInternal(relative)) return line
      const statements = statementsOf(resolved(fileOf(relative)))
      return names
        .replaceAll(comment, "")
        .split(",")
        .map((name) => name.trim().replace(/^type /, ""))
        .flatMap((name) => statements.filter((statement) => declares(statement, name)))
        .join("\n")
    }
  )
  return withExports.replaceAll(
    /^(export interface (\w+)) extends (\w+)\.(\w+) \{\s*\}/gm,
    (line, opening: string, _: string, namespace: string, name: string) => {
      const imports = [...text.matchAll(/^import (?:type )?\* as (\w+) from "(\.[^"]*)"/gm)]
      const relative = imports.find(([, imported]) => imported === namespace)?.[2]
      const found = relative && statementsOf(resolved(fileOf(relative))).find((statement) => declares(statement, name))
      const body = found?.slice(found.indexOf("{", found.indexOf("interface"))).trim()
      return body === undefined ? line : `${opening} ${body}`
    }
  )
}

const reportOf = (one: Package): { readonly report: string; readonly faults: ReadonlyArray<string> } => {
  const { folder, name } = one
  const dist = Path.join(folder, "dist")
  const modules = modulesOf(one)
    .filter((module) => !module.name.startsWith("unstable/"))
    .map((module) => ({ ...module, text: resolved(Path.join(dist, `${module.source}.d.ts`)) }))
  const sections = modules.map((module) => `## ${module.name}\n\n\`\`\`ts\n${surfaceOf(module.text)}\n\`\`\`\n`)
  const faults = modules.flatMap((module) =>
    untagged(module.text).map((exported) => `${name}/${module.name}: ${exported}`)
  )
  const head = `# ${name}\n\nEvery public declaration, without comments. \`pnpm run docs api\` writes this page.\n`
  return { report: [head, ...sections].join("\n"), faults }
}

execFileSync(Path.join(root, "node_modules/.bin/tsc"), ["-b", ...packages.map(({ directory }) => directory)], {
  cwd: root,
  stdio: "inherit"
})

const problems: Array<string> = []
for (const one of packages) {
  const file = Path.join(one.folder, "api.md")
  const { faults, report } = reportOf(one)
  problems.push(...faults.map((fault) => `${fault} has no @since or no @category`))
  if (!isCheck) writeFileSync(file, report)
  else if (!existsSync(file) || readFileSync(file, "utf8") !== report) {
    problems.push(
      `${one.directory}/api.md is not what the sources say: run pnpm run docs api, and look at the difference`
    )
  }
}
for (const problem of problems) console.error(problem)
process.exitCode = problems.length > 0 ? 1 : 0
