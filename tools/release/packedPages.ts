/**
 * `prepack` and `postpack` of each package: what its reader needs offline. The guides go into `docs` of
 * `@effect-custody/core`, on which the other packages depend, and the links of a package's own pages lead there. After the
 * packing, everything is as it was.
 */
import { cpSync, globSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")

/** The package with the guides, relative to each package's folder, in the repository as in `node_modules`. */
const home = "../core/docs"

/** The pages of a package that have links. */
const own = "{README,AGENTS}.md"

/** The guides by their place in `docs`. Pages for maintainers and tests of the alert rules stay out. */
export const guides: ReadonlyMap<string, string> = new Map([
  ...globSync(["README.md", "SECURITY.md"], { cwd: root }).map((file) => [file, file] as const),
  ...globSync(["docs/*.md", "docs/recipes/*.md", "docs/operations/*"], {
    cwd: root,
    exclude: ["docs/releases.md", "docs/operations/*.test.*"]
  }).map((file) => [file, file.slice("docs/".length)] as const),
  ...globSync("packages/{*,extensions/*}/README.md", { cwd: root }).map(
    (file) => [file, `packages/${Path.basename(Path.dirname(file))}.md`] as const
  )
])

/** A block of code, which stays, or a link. */
const blockOrLink = /^( *)(`{3,})[^]*?^\1\2\s*$|\[((?:`[^`]*`|[^[\]])*)\]\(([^)\s]+)\)/gm

/** The links of a page to other files. */
export const linksOf = (page: string): ReadonlyArray<string> =>
  [...page.matchAll(blockOrLink)].flatMap(([, , , , target]) =>
    target === undefined || /^[a-z][a-z+.-]*:/i.test(target) ? [] : [target]
  )

/** A comment on a line of its own, such as the mark of a table that a command writes: for maintainers. */
const comment = /^<!--.*-->\n+/gm

/** A page as it stands at its place in `docs`. A link to a page that is not there becomes its text. */
export const guideOf = (file: string, place: string = guides.get(file)!): string => {
  const from = Path.posix.dirname(place)
  // pnpm may be packing the package of this page at the same time.
  const page = unpacked(readFileSync(Path.join(root, file), "utf8"), Path.posix.dirname(file)).replaceAll(comment, "")
  return page.replaceAll(
    blockOrLink,
    (whole: string, _indent: string, _fence: string, words: string, target: string | undefined) => {
      if (target === undefined || /^(#|[a-z][a-z+.-]*:)/i.test(target)) return whole
      const [path = "", anchor] = target.split("#", 2)
      const to = guides.get(Path.posix.join(Path.posix.dirname(file), path))
      if (to === undefined) return words
      return `[${words}](${Path.posix.relative(from, to)}${anchor === undefined ? "" : `#${anchor}`})`
    }
  )
}

const files: ReadonlyMap<string, string> = new Map([...guides].map(([file, place]) => [place, file]))

/** The path of a link, up to its anchor. */
const path = /(?<=\]\()[^)#\s]+/g

/** Lets the links of a page of a package's folder lead to the packed guides. {@link unpacked} is its inverse. */
export const packed = (page: string, folder: string): string =>
  page.replaceAll(path, (target) => {
    const place = guides.get(Path.posix.join(folder, target))
    return place === undefined ? target : `${home}/${place}`
  })

export const unpacked = (page: string, folder: string): string =>
  page.replaceAll(path, (target) => {
    const file = target.startsWith(`${home}/`) ? files.get(target.slice(home.length + 1)) : undefined
    return file === undefined ? target : Path.posix.relative(folder, file)
  })

/** Writes the guides into a folder. */
export const writeGuides = (folder: string): void => {
  for (const [file, to] of guides) {
    const page = Path.join(folder, to)
    mkdirSync(Path.dirname(page), { recursive: true })
    if (file.endsWith(".md")) writeFileSync(page, guideOf(file))
    else cpSync(Path.join(root, file), page)
  }
}

if (import.meta.main) {
  const folder = process.cwd()
  const directory = Path.relative(root, folder).replaceAll(Path.sep, "/")
  const isBefore = process.argv[2] === "prepack"
  for (const page of globSync(own, { cwd: folder }).map((file) => Path.join(folder, file))) {
    const text = (isBefore ? packed : unpacked)(readFileSync(page, "utf8"), directory)
    writeFileSync(`${page}.new`, text)
    renameSync(`${page}.new`, page)
  }
  if (Path.basename(folder) === "core") {
    const docs = Path.join(folder, "docs")
    rmSync(docs, { recursive: true, force: true })
    if (isBefore) writeGuides(docs)
  }
}
