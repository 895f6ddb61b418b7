import { assert, describe, it } from "@effect/vitest"
import { existsSync, globSync, readFileSync, statSync } from "node:fs"
import * as Path from "node:path"
import { anchorsOf, withoutCode } from "./anchors.ts"

const root = Path.resolve(import.meta.dirname, "../..")

const pages = globSync(["*.md", "{docs,packages,examples,test}/**/*.md"], {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**"]
})

const read = (file: string): string => readFileSync(Path.join(root, file), "utf8")

/** The links of a page within the repository. */
const linksOf = (page: string): ReadonlyArray<string> =>
  [...withoutCode(page).matchAll(/\]\(\s*<?([^)\s>]+)>?[^)]*\)/g)]
    .map(([, target = ""]) => target)
    .filter((target) => !/^[a-z][a-z+.-]*:/i.test(target))

const isBroken = (file: string, page: string, target: string): boolean => {
  const [path = "", anchor = ""] = target.split("#", 2)
  const to = Path.join(root, Path.dirname(file), decodeURIComponent(path))
  if (path !== "" && (!existsSync(to) || statSync(to).isDirectory())) return true
  return anchor !== "" && !anchorsOf(path === "" ? page : readFileSync(to, "utf8")).has(anchor)
}

describe("the links of the documentation", () => {
  it("every link of the documentation leads to an existing file and heading", () => {
    const broken = pages.flatMap((file) => {
      const page = read(file)
      return linksOf(page).flatMap((target) => (isBroken(file, page, target) ? [`${file}: ${target}`] : []))
    })
    assert.deepStrictEqual(broken, [])
    const page = "# One: `two`\n# One: `two`\n[a](#one-two-1) [b](#one) [c](nowhere.md) `[d](nowhere.md)`"
    assert.deepStrictEqual(
      linksOf(page).filter((target) => isBroken("page.md", page, target)),
      ["#one", "nowhere.md"]
    )
  })

  it("links lead from the README to every guide, recipe and decision", () => {
    const reached = new Set<string>()
    const follow = (file: string): void => {
      if (reached.has(file) || !pages.includes(file)) return
      reached.add(file)
      for (const target of linksOf(read(file))) follow(Path.join(Path.dirname(file), target.split("#")[0]!))
    }
    follow("README.md")
    assert.deepStrictEqual(
      pages.filter((file) => file.startsWith("docs/") && !reached.has(file)),
      []
    )
  })
})

it("the architecture names the rooms of each package as they are", () => {
  const listed = [...read("docs/internals/architecture.md").matchAll(/^- `([\w-]+)`: (.*)$/gm)].map(
    ([, name, rooms = ""]) => ({
      name,
      rooms: [...rooms.matchAll(/`(\w+)\/`/g)].map(([, room]) => room)
    })
  )
  assert.isAbove(listed.length, 2)
  for (const { name, rooms } of listed) {
    const folders = globSync(`packages/{,extensions/}${name}/src/*/`, { cwd: root }).map((folder) =>
      Path.basename(folder)
    )
    const apart = ["internal", "browser"]
    assert.sameMembers(
      rooms,
      folders.filter((folder) => !apart.includes(folder)),
      name
    )
  }
})

it("the documentation names only existing files of this repository", () => {
  const missing = pages.flatMap((file) =>
    [...read(file).matchAll(/`((?:packages|test|examples|docs|bench|tools)\/[\w./-]+)`/g)].flatMap(([, path = ""]) =>
      existsSync(Path.join(root, path)) ? [] : [`${file}: ${path}`]
    )
  )
  assert.deepStrictEqual(missing, [])
})
