/** The TypeScript that the documentation shows: found, and compiled as a user's own modules would be. */
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

export const root = Path.resolve(import.meta.dirname, "../..")

/** A block of TypeScript in a page or in a doc comment. */
export interface Snippet {
  /** Relative to the root. */
  readonly file: string
  /** The line of the file that holds the snippet's first line, from 1. */
  readonly line: number
  readonly text: string
}

const lineAt = (text: string, index: number): number => text.slice(0, index).split("\n").length

/** The TypeScript blocks of a Markdown page. */
export const ofMarkdown = (file: string, source: string): ReadonlyArray<Snippet> =>
  [...source.matchAll(/^([ \t]*)```(?:ts|typescript)\b.*\n([^]*?)^\1```[ \t]*$/gm)].map((found) => {
    const [, indent = "", text = ""] = found
    return { file, line: lineAt(source, found.index) + 1, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") }
  })

/** The TypeScript blocks of a module's doc comments. */
const ofSource = (file: string, source: string): ReadonlyArray<Snippet> =>
  [...source.matchAll(/\/\*\*[^]*?\*\//g)].flatMap((comment) => {
    const page = comment[0].replaceAll(/^[ \t]*(?:\/\*\*|\*\/|\* ?)/gm, "")
    const above = lineAt(source, comment.index) - 1
    return ofMarkdown(file, page).map((snippet) => ({ ...snippet, line: snippet.line + above }))
  })

/** Every snippet of the documentation. */
export const all = (): ReadonlyArray<Snippet> => {
  const read = (of: typeof ofMarkdown) => (file: string) => of(file, readFileSync(Path.join(root, file), "utf8"))
  return [
    ...globSync(["README.md", "docs/**/*.md", "packages/{*,extensions/*}/{README,AGENTS}.md"], { cwd: root })
      .sort()
      .flatMap(read(ofMarkdown)),
    ...globSync("packages/{*,extensions/*}/src/**/*.ts", { cwd: root }).sort().flatMap(read(ofSource))
  ]
}

/** As in a user's strict project. In the workspace a package's name leads to its TypeScript. */
const compilerOptions = {
  target: "ES2024",
  lib: ["ES2024", "DOM", "DOM.Iterable"],
  types: ["node"],
  module: "NodeNext",
  moduleDetection: "force",
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true
}

const tsc = (project: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const compiler = Path.join(root, "node_modules/typescript/bin/tsc")
    const limits = { cwd: project, maxBuffer: 64 * 1024 * 1024, timeout: 300_000 }
    execFile(process.execPath, [compiler, "-p", ".", "--pretty", "false"], limits, (error, stdout, stderr) => {
      if (error !== null && stdout === "") reject(new Error(`tsc did not run: ${stderr}`))
      else resolve(stdout)
    })
  })

/** Compiles every snippet as a module of its own, all in one run; gives each error with its place in the documentation. */
export const compile = async (snippets: ReadonlyArray<Snippet>): Promise<ReadonlyArray<string>> => {
  const project = Path.join(root, "node_modules/.cache/snippets")
  rmSync(project, { recursive: true, force: true })
  const modules = new Map<string, Snippet>()
  for (const [index, snippet] of snippets.entries()) {
    // The files of a page import each other by the names in their first lines.
    const name = /^\/\/ ([\w.-]+\.ts)\n/.exec(snippet.text)?.[1]
    const folder = Path.join(project, name === undefined ? "." : snippet.file.replaceAll(/\W+/g, "-"))
    const module = Path.join(folder, name ?? `${index}.ts`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(module, `${snippet.text}\n`)
    modules.set(module, snippet)
  }
  writeFileSync(Path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }))
  const errors = [...(await tsc(project)).matchAll(/^(\S.*?)\((\d+),\d+\): (error TS[^]*?)$(?!\n )/gm)]
  // Errors in the sources are reported by `pnpm check`.
  return errors.flatMap(([, file = "", line, message]) => {
    const snippet = modules.get(Path.resolve(project, file))
    return snippet === undefined ? [] : [`${snippet.file}:${snippet.line + Number(line) - 1}: ${message}`]
  })
}
