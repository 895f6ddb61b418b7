/** The site: its pages are put together by `build.ts`. */
import { existsSync, globSync, readFileSync } from "node:fs"
import * as Path from "node:path"
import { type DefaultTheme, defineConfig } from "vitepress"

const pages = Path.resolve(import.meta.dirname, "../pages")

const page = (text: string, link: string): DefaultTheme.NavItemWithLink & DefaultTheme.SidebarItem => ({ text, link })

/** What a page calls itself. */
const titleOf = (file: string): string => /^# (.+)$/m.exec(readFileSync(Path.join(pages, file), "utf8"))?.[1] ?? file

/** The pages of a folder but for its index, in alphabetical order. */
const pagesIn = (folder: string): Array<DefaultTheme.SidebarItem> =>
  globSync("*.md", { cwd: Path.join(pages, folder) })
    .map((file) => Path.basename(file, ".md"))
    .filter((name) => name !== "index")
    .toSorted()
    .map((name) => page(titleOf(`${folder}/${name}.md`), `/${folder}/${name}`))

/** A package of the API reference, with its modules. One that has none is a page, not a folder. */
const reference = (name: string): DefaultTheme.SidebarItem => ({
  text: `@effect-custody/${name}`,
  link: existsSync(Path.join(pages, "api", name, "src")) ? `/api/${name}/src/` : `/api/${name}/src`,
  collapsed: true,
  items: pagesIn(`api/${name}/src/namespaces`)
})

export default defineConfig({
  title: "effect-custody",
  description: "A functional SDK, on Effect 4, for the REST API of a digital-asset custody service.",
  // An icon of its own, so that the browser asks for none.
  head: [["link", { rel: "icon", href: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" }]],
  srcDir: "pages",
  outDir: "dist",
  markdown: {
    config: (md) => {
      // A folder's page is its README in the repository, and its index on the site.
      md.core.ruler.push("readme-links", ({ tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const href = token.type === "link_open" ? token.attrGet("href") : null
          if (href !== null) token.attrSet("href", href.replace(/^((?![a-z]+:).*\/)?README\.md/, "$1index.md"))
        }
      })
    }
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [page("Recipes", "/docs/recipes/"), page("Guides", "/docs/session"), page("API", "/api/")],
    sidebar: [
      {
        text: "Start",
        items: [page("Introduction", "/"), page("The packages", "/docs/packages"), page("Examples", "/examples/")]
      },
      { text: "Recipes", items: [page("All recipes", "/docs/recipes/"), ...pagesIn("docs/recipes")] },
      {
        text: "Guides",
        items: [
          page("The session", "/docs/session"),
          page("Errors and retries", "/docs/errors-and-retries"),
          page("Contracts", "/docs/contracts"),
          page("Testing", "/docs/testing"),
          page("The emulator", "/docs/emulator"),
          page("Operations", "/docs/operations")
        ]
      },
      {
        text: "Reference",
        items: [
          page("The 47 endpoints", "/docs/endpoints"),
          page("Glossary", "/docs/glossary"),
          ...["sdk", "node", "postgres", "emulator", "testing", "authentication"].map(reference)
        ]
      },
      {
        text: "Behind it",
        items: [
          page("Contributing", "/CONTRIBUTING"),
          page("Architecture", "/docs/internals/architecture"),
          page("The session's algorithm", "/docs/internals/session"),
          page("Decisions", "/docs/decisions/"),
          page("Releases", "/docs/releases"),
          page("Versions of Effect", "/docs/effect-versions"),
          page("Security", "/SECURITY")
        ]
      }
    ]
  }
})
