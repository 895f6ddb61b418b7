/**
 * `pnpm run docs`: the documentation as static files in `tools/site/dist`. The pages are the Markdown files of the
 * repository; the API reference is what TypeDoc makes of the docstrings.
 *
 * TypeDoc needs the compiler's JavaScript API, which TypeScript 7 does not have: this package has a TypeScript 6 of its
 * own.
 */
import { execFileSync } from "node:child_process"
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../workspace.ts"
import { guideOf, guides, writeGuides } from "../release/packedPages.ts"
import { modules } from "./modules.ts"

const site = import.meta.dirname
const pages = Path.join(site, "pages")

const sources = [
  "*.md",
  "docs/**/*.md",
  "examples/*.md",
  "examples/*/*.md",
  "test/*/README.md",
  "test/{contracts/documents,wire/vectors}/README.md",
  "packages/{*,extensions/*}/{README,AGENTS}.md",
  "docs/internals/*.svg"
]

rmSync(pages, { recursive: true, force: true })
for (const file of globSync(sources, { cwd: root })) {
  // A folder's page is its README in the repository, and its index on the site. The root has a landing page instead.
  const page = Path.join(pages, file.replace(/^README\.md$/, "introduction.md").replace(/\/README\.md$/, "/index.md"))
  mkdirSync(Path.dirname(page), { recursive: true })
  cpSync(Path.join(root, file), page)
}

/** The landing page quotes the README's first program. */
const [, quickstart = ""] = /\n## A call\n([^]*?)\n## /.exec(readFileSync(Path.join(root, "README.md"), "utf8")) ?? []
const landing = readFileSync(Path.join(site, "landing.md"), "utf8")
writeFileSync(Path.join(pages, "index.md"), landing.replace("<!-- quickstart -->", `## Quickstart\n${quickstart}`))

// What a page offers for download stays as it is.
cpSync(Path.join(root, "docs/operations"), Path.join(pages, "public/docs/operations"), { recursive: true })

const run = (command: string, ...args: ReadonlyArray<string>) =>
  execFileSync(Path.join(site, "node_modules/.bin", command), args, { cwd: site, stdio: "inherit" })

run("typedoc", "--logLevel", "Error", ...modules.map(({ file }) => Path.join(root, file)))

const introduction = `# API

Each module has a page, and can be imported by its own path, such as \`@effect-custody/core/Amount\`.
\`@effect-custody/sdk\` exports the endpoints, and what most programs need of \`core\` and \`authentication\`: see [the
packages](../docs/packages.md). This index leaves out the modules with \`siblings\` in their path, which may change in any release.`
const index = Path.join(pages, "api/index.md")
writeFileSync(
  index,
  readFileSync(index, "utf8").replace(/^# .*$/m, () => introduction)
)

run("vitepress", "build")

// For programs that read: the rules for a coding agent, and the guides as they are packed.
const dist = Path.join(site, "dist")
writeGuides(Path.join(dist, "guides"))
writeFileSync(Path.join(dist, "guides/AGENTS.md"), guideOf("packages/sdk/AGENTS.md", "AGENTS.md"))
const entries = ["AGENTS.md", ...guides.values()]
  .filter((file) => file.endsWith(".md") && !file.startsWith("packages/"))
  .map((file) => `- [${/^# (.*)$/m.exec(readFileSync(Path.join(dist, "guides", file), "utf8"))?.[1]}](guides/${file})`)
const summary = "> An SDK on Effect 4 for the REST API of a digital-asset custody service. Read AGENTS.md first."
writeFileSync(
  Path.join(dist, "llms.txt"),
  ["# effect-custody", summary, `## Guides\n\n${entries.join("\n")}\n`].join("\n\n")
)
