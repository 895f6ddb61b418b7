/** The site of the documentation, as `pnpm run docs` builds it. */
import { assert, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import * as Path from "node:path"

const site = Path.resolve(import.meta.dirname, "../../tools/site")
const dist = Path.join(site, "dist")
const read = (file: string) => readFileSync(Path.join(dist, file), "utf8")

/** The links of a built page to other pages of the site. */
const linksOf = (file: string): ReadonlyArray<{ readonly page: string; readonly anchor: string }> =>
  [...read(file).matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = ""]) => {
    const url = new URL(href, `http://site/${file}`)
    if (url.host !== "site") return []
    const path = decodeURIComponent(url.pathname).slice(1)
    const page = path === "" || path.endsWith("/") ? `${path}index.html` : path
    return [{ page, anchor: decodeURIComponent(url.hash.slice(1)) }]
  })

it("the site and its API reference have no broken link", () => {
  execFileSync(process.execPath, [Path.join(site, "build.ts")], { stdio: "pipe" })
  const pages = globSync("**/*.html", { cwd: dist })
  const ids = new Map(
    pages.map((page) => [page, new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))])
  )
  const broken = pages.flatMap((file) =>
    linksOf(file)
      .filter(
        ({ anchor, page }) => !existsSync(Path.join(dist, page)) || (anchor !== "" && !ids.get(page)?.has(anchor))
      )
      .map(({ anchor, page }) => `${file}: ${page}#${anchor}`)
  )
  assert.isAbove(pages.length, 80)
  assert.deepStrictEqual([...new Set(broken)], [])
  assert.include(read("api/transactions/Transactions.html"), "if the money may have moved")
  const guides = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, file = ""]) => file)
  assert.includeMembers(guides, ["guides/AGENTS.md", "guides/recipes/payouts.md"])
  assert.isTrue(guides.every((file) => existsSync(Path.join(dist, file))))
  assert.include(read("index.html"), "This session belongs to vault")
  const index = linksOf("api/index.html").map(({ page }) => page)
  assert.includeMembers(index, ["api/core/Amount.html", "api/contract/Adapter.html"])
  assert.isFalse(index.some((page) => page.includes("siblings")))
})
