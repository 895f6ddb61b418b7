/**
 * `pnpm run docs`: the documentation as static files in `tools/site/dist`. The pages are the Markdown files of the
 * repository; the API reference is what TypeDoc makes of the docstrings.
 *
 * TypeDoc needs the compiler's JavaScript API, which TypeScript 7 does not have: this package has a TypeScript 6 of its
 * own.
 */
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, rmSync } from "node:fs"
import * as Path from "node:path"

const site = import.meta.dirname
const root = Path.resolve(site, "../..")
const pages = Path.join(site, "pages")

const sources = [
  "*.md",
  "docs/**/*.md",
  "examples/*.md",
  "examples/*/*.md",
  "packages/*/README.md",
  "bench/results/*.svg"
]

rmSync(pages, { recursive: true, force: true })
for (const file of globSync(sources, { cwd: root })) {
  // A folder's page is its README in the repository, and its index on the site.
  const page = Path.join(pages, file.replace(/(^|\/)README\.md$/, "$1index.md"))
  mkdirSync(Path.dirname(page), { recursive: true })
  cpSync(Path.join(root, file), page)
}

// What a page offers for download stays as it is.
cpSync(Path.join(root, "docs/operations"), Path.join(pages, "public/docs/operations"), { recursive: true })

const run = (command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(Path.join(site, "node_modules/.bin", command), args, { cwd: site, stdio: "inherit" })

run("typedoc", "--logLevel", "Error")
run("vitepress", "build")
