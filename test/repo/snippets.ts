/** The code that the documentation shows: found, and compiled as a user's own module would be. */
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

export const root = Path.resolve(import.meta.dirname, "../..")

/** A block of TypeScript in a page or in a doc comment. */
export interface Snippet {
  /** Relative to the root. */
  readonly file: string
  /** The line of the file that holds the snippet's first line, from 1. */
  readonly line: number
  /** What it stands under: the page's heading, or the name that the comment documents. */
  readonly heading: string
  readonly text: string
}

/** An error of the compiler in a snippet, at its place in the documentation. */
export interface Fault {
  readonly file: string
  readonly line: number
  readonly heading: string
  readonly message: string
}

const typescript = /^(?:ts|mts|typescript)\b/

interface Line {
  readonly number: number
  readonly text: string
}

/** The fenced TypeScript blocks among lines; `headingOf` sees every line outside of the fences. */
const fenced = (file: string, lines: ReadonlyArray<Line>, headingOf: (text: string) => string | undefined) => {
  const snippets: Array<Snippet> = []
  let heading = ""
  let fence:
    | { readonly close: RegExp; readonly indent: number; readonly wanted: boolean; readonly line: number }
    | undefined
  let held: Array<string> = []
  for (const { number, text } of lines) {
    if (fence === undefined) {
      const opening = /^(\s*)(`{3,}|~{3,})\s*(.*)$/.exec(text)
      if (opening === null) {
        heading = headingOf(text) ?? heading
        continue
      }
      const [, indent = "", mark = "", info = ""] = opening
      const close = new RegExp(`^\\s*${mark[0]!}{${mark.length},}\\s*$`)
      fence = { close, indent: indent.length, wanted: typescript.test(info), line: number + 1 }
      held = []
    } else if (fence.close.test(text)) {
      if (fence.wanted) snippets.push({ file, line: fence.line, heading, text: held.join("\n") })
      fence = undefined
    } else {
      held.push(/^\s*$/.test(text.slice(0, fence.indent)) ? text.slice(fence.indent) : text)
    }
  }
  if (fence?.wanted === true) snippets.push({ file, line: fence.line, heading, text: held.join("\n") })
  return snippets
}

const numbered = (source: string): ReadonlyArray<Line> =>
  source.split(/\r?\n/).map((text, index) => ({ number: index + 1, text }))

/** The TypeScript blocks of a Markdown page. */
export const ofMarkdown = (file: string, source: string): ReadonlyArray<Snippet> =>
  fenced(file, numbered(source), (text) => /^#{1,6}\s+(.*?)\s*#*$/.exec(text)?.[1])

const declaration =
  /^\s*(?:export\s+)?(?:declare\s+)?(?:default\s+)?(?:abstract\s+)?(?:static\s+)?(?:readonly\s+)?(?:(?:const|class|interface|type|function)\s+)?([\w$]+)/

/** An `@example` that shows no TypeScript is kept as a snippet that does not compile. */
export const withoutCode = `"This @example holds no code block that says it is TypeScript." satisfies never`

/** The TypeScript blocks of a module's doc comments. */
export const ofSource = (file: string, source: string): ReadonlyArray<Snippet> => {
  const lines = numbered(source)
  const snippets: Array<Snippet> = []
  for (let start = 0; start < lines.length; start++) {
    if (!/^\s*\/\*\*/.test(lines[start]!.text)) continue
    let end = start
    while (end < lines.length - 1 && !lines[end]!.text.includes("*/")) end++
    const name = declaration.exec(lines[end + 1]?.text ?? "")?.[1] ?? "the module"
    const comment = lines.slice(start, end + 1).map(({ number, text }) => ({
      number,
      text: text.replace(/^\s*\/?\*{1,2}\/? ?/, "").replace(/\s*\*\/\s*$/, "")
    }))
    const found = fenced(file, comment, () => name)
    snippets.push(...found.map((snippet) => ({ ...snippet, heading: name })))
    const examples = comment.filter(({ text }) => /^\s*@example\b/.test(text)).map(({ number }) => number)
    for (const [index, number] of examples.entries()) {
      const next = examples[index + 1] ?? Number.POSITIVE_INFINITY
      if (!found.some(({ line }) => line > number && line < next))
        snippets.push({ file, line: number, heading: name, text: withoutCode })
    }
    start = end
  }
  return snippets
}

/** Every snippet of the documentation as it is now. */
export const all = (): ReadonlyArray<Snippet> => {
  const read = (of: typeof ofMarkdown) => (file: string) => of(file, readFileSync(Path.join(root, file), "utf8"))
  return [
    ...globSync(["README.md", "docs/**/*.md", "packages/*/README.md"], { cwd: root }).sort().flatMap(read(ofMarkdown)),
    ...globSync("packages/*/src/**/*.ts", { cwd: root }).sort().flatMap(read(ofSource))
  ]
}

/** As in a user's strict project. The third group is what the sources themselves need. */
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

  // In the workspace a package's name leads to its TypeScript.
  allowImportingTsExtensions: true
}

interface Diagnostic {
  readonly file: string
  readonly line: number
  readonly message: string
}

const tsc = (project: string): Promise<ReadonlyArray<Diagnostic>> =>
  new Promise((resolve, reject) => {
    const compiler = Path.join(root, "node_modules/typescript/bin/tsc")
    const limits = { cwd: project, maxBuffer: 64 * 1024 * 1024, timeout: 60_000 }
    execFile(process.execPath, [compiler, "-p", ".", "--pretty", "false"], limits, (error, stdout, stderr) => {
      const diagnostics: Array<Diagnostic> = []
      for (const text of stdout.split("\n")) {
        const [, file, line, message] = /^(\S.*?)\((\d+),\d+\): error (TS\d+: .*)$/.exec(text) ?? []
        const last = diagnostics.at(-1)
        if (file !== undefined)
          diagnostics.push({ file: Path.resolve(project, file), line: Number(line), message: message! })
        else if (last !== undefined && text.trim() !== "")
          diagnostics[diagnostics.length - 1] = { ...last, message: `${last.message}\n${text}` }
      }
      if (error !== null && diagnostics.length === 0) reject(new Error(`tsc did not run: ${stdout}${stderr}`))
      else resolve(diagnostics)
    })
  })

/** Compiles every snippet as a module of its own, all in one run, and reports the faults at their places. */
export const compile = async (name: string, snippets: ReadonlyArray<Snippet>): Promise<ReadonlyArray<Fault>> => {
  const project = Path.join(root, "node_modules/.cache/snippets", name)
  rmSync(project, { recursive: true, force: true })
  mkdirSync(project, { recursive: true })
  const modules = new Map<string, Snippet>()
  for (const [index, snippet] of snippets.entries()) {
    // The files of a page import each other by the names in their first lines.
    const name = /^\/\/ ([\w-]+\.ts)\n/.exec(snippet.text)?.[1]
    const folder = Path.join(project, name === undefined ? "." : snippet.file.replaceAll(/\W+/g, "-"))
    const module = Path.join(folder, name ?? `${String(index).padStart(3, "0")}.ts`)
    mkdirSync(folder, { recursive: true })
    writeFileSync(module, `${snippet.text}\n`)
    modules.set(module, snippet)
  }
  writeFileSync(Path.join(project, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["**/*.ts"] }))
  // Errors in the sources are reported by `pnpm types`: here only those in snippets count.
  return (await tsc(project)).flatMap(({ file, line, message }) => {
    const snippet = modules.get(file)
    if (snippet === undefined) return []
    return [{ file: snippet.file, line: snippet.line + line - 1, heading: snippet.heading, message }]
  })
}

const lastChange = (): number =>
  Math.max(
    ...globSync(["README.md", "docs/**/*.md", "packages/*/README.md", "packages/*/src/**/*.ts"], { cwd: root }).map(
      (file) => statSync(Path.join(root, file), { throwIfNoEntry: false })?.mtimeMs ?? Number.POSITIVE_INFINITY
    )
  )

/**
 * The faults of the documentation. If a file changed while the files were read, the state that was read may never have
 * existed, so they are read again.
 */
export const check = async (tries = 3): Promise<{ snippets: ReadonlyArray<Snippet>; faults: ReadonlyArray<Fault> }> => {
  const before = lastChange()
  const snippets = all()
  const faults = await compile("documentation", snippets)
  return faults.length > 0 && tries > 1 && lastChange() !== before ? check(tries - 1) : { snippets, faults }
}

/** A fault on one line or more, to be clicked. */
export const show = ({ file, heading, line, message }: Fault): string =>
  `${file}:${line} (${heading === "" ? "before any heading" : heading})\n  ${message.replaceAll("\n", "\n  ")}`
