/** Every link in every Markdown file leads somewhere: to a file that is there, and to a heading that is in it. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, readFileSync, statSync } from "node:fs"
import * as Path from "node:path"

const root = Path.resolve(import.meta.dirname, "../..")

const withoutCode = (page: string): string =>
  page
    .replaceAll(/^(\s*)(`{3,})[^]*?^\s*\2\s*$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""))

/** The anchors of a page, as GitHub makes them of its headings. */
const anchorsOf = (page: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ""] of withoutCode(page).matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-")
    let anchor = slug
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`
    anchors.add(anchor)
  }
  return anchors
}

/** What is wrong with the links of a page. */
const brokenLinks = (file: string, page: string): ReadonlyArray<string> =>
  [...withoutCode(page).matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)].flatMap(([, target = ""]) => {
    if (/^[a-z][a-z+.-]*:/i.test(target)) return []
    const [path = "", anchor] = target.split("#", 2)
    const to = Path.join(root, Path.dirname(file), decodeURIComponent(path))
    if (path !== "" && !existsSync(to)) return [`${file}: ${target} does not exist`]
    if (path !== "" && statSync(to).isDirectory()) return [`${file}: ${target} is a folder`]
    if (anchor === undefined || anchor === "") return []
    const anchors = anchorsOf(path === "" ? page : readFileSync(to, "utf8"))
    return anchors.has(anchor) ? [] : [`${file}: ${target} has no such heading`]
  })

/** The paths of this repository that a page names as code, and that are not there. */
const missingFiles = (file: string, page: string): ReadonlyArray<string> =>
  [...page.matchAll(/`((?:packages|test|examples|docs|bench|\.ci|\.site)\/[\w./-]+)`/g)].flatMap(([, path = ""]) =>
    existsSync(Path.join(root, path)) ? [] : [`${file}: \`${path}\` does not exist`]
  )

const pages = execFileSync("git", ["ls-files", "--cached", "--others", "--exclude-standard", "*.md"], {
  cwd: root,
  encoding: "utf8"
})
  .trim()
  .split("\n")
  .filter((file) => existsSync(Path.join(root, file)))

describe("the files that the documentation names", () => {
  it("are there", () => {
    assert.deepStrictEqual(
      pages.flatMap((file) => missingFiles(file, readFileSync(Path.join(root, file), "utf8"))),
      []
    )
    assert.deepStrictEqual(missingFiles("page.md", "`docs/nowhere.md`, `docs/session.md`, `packages/<name>/src`"), [
      "page.md: `docs/nowhere.md` does not exist"
    ])
  })
})

describe("the ways of a call and of a 498", () => {
  it("pass at most 12 files, which have the functions that the page names", () => {
    const page = readFileSync(Path.join(root, "docs/internals/architecture.md"), "utf8")
    const rows = [...page.matchAll(/^\| (\d+)\. .* \| `([^`]+)` \| (.*) \|$/gm)]
    const missing = rows.flatMap(([, , file = "", functions = ""]) => {
      const source = readFileSync(Path.join(root, file), "utf8")
      const names = functions.replaceAll("`", "").split(", ")
      return names
        .filter((name) => !new RegExp(`\\b${name}\\b(?: =|:|\\()`).test(source))
        .map((name) => `${file}: ${name}`)
    })
    const steps = rows.map(([, step]) => Number(step))
    const twelve = Array.from({ length: 12 }, (_, index) => index + 1)
    assert.deepStrictEqual({ missing, steps }, { missing: [], steps: [...twelve, ...twelve] })
  })
})

describe("the links of the documentation", () => {
  it("lead to files and headings that are there", () => {
    assert.deepStrictEqual(
      pages.flatMap((file) => brokenLinks(file, readFileSync(Path.join(root, file), "utf8"))),
      []
    )
  })

  it("are found where they are, and broken ones are reported", () => {
    const page = [
      "# One: `two` & [three](README.md)",
      "# Again",
      "# Again",
      "[a](#one-two--three) [b](#again-1) [c](#again-2) [d](README.md#test) [e](https://elsewhere.example/#x)",
      "[f](nowhere.md) `[g](nowhere.md)`",
      "```",
      "[h](nowhere.md)",
      "# not a heading",
      "```",
      "[i](#not-a-heading)"
    ].join("\n")
    assert.deepStrictEqual(brokenLinks("page.md", page), [
      "page.md: #again-2 has no such heading",
      "page.md: nowhere.md does not exist",
      "page.md: #not-a-heading has no such heading"
    ])
  })

  it("from the README and the index of docs reach every guide, recipe and decision", () => {
    const reached = new Set<string>()
    const follow = (file: string): void => {
      if (reached.has(file) || !pages.includes(file)) return
      reached.add(file)
      const page = withoutCode(readFileSync(Path.join(root, file), "utf8"))
      for (const [, target = ""] of page.matchAll(/\]\(([^)#\s]+)/g)) {
        if (!/^[a-z]+:/.test(target)) follow(Path.join(Path.dirname(file), target))
      }
    }
    follow("README.md")
    assert.deepStrictEqual(
      pages.filter((file) => file.startsWith("docs/") && !reached.has(file)),
      []
    )
  })
})
