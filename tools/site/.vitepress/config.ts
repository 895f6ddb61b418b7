/** The configuration of the site. `build.ts` writes its pages. */
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { type DefaultTheme, defineConfig } from "vitepress"
import { groups, pageOf } from "../modules.ts"

const pages = Path.resolve(import.meta.dirname, "../pages")

const page = (text: string, link: string): DefaultTheme.NavItemWithLink & DefaultTheme.SidebarItem => ({ text, link })

/** The recipes in the order of their list, with the guides that it names. */
const recipes: ReadonlyArray<DefaultTheme.SidebarItem> = [
  ...readFileSync(Path.join(pages, "docs/recipes/index.md"), "utf8").matchAll(
    /^- \[([^\]]+)\]\(([^)]+)\.md(#[^)]*)?\)/gm
  )
].map(([, text = "", path = "", anchor = ""]) =>
  page(text, Path.posix.join("/docs/recipes", path.replace(/\/README$/, "/")) + anchor)
)

export default defineConfig({
  title: "effect-custody",
  description: "A functional SDK, on Effect 4, for the REST API of a digital-asset custody service.",
  // An icon of its own, so that the browser asks for none.
  head: [["link", { rel: "icon", href: "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" }]],
  srcDir: "pages",
  outDir: "dist",
  markdown: {
    config: (md) => {
      // A folder's page is its README in the repository, and its index on the site. The root has a landing page instead.
      md.core.ruler.push("readme-links", ({ env, tokens }) => {
        for (const token of tokens.flatMap(({ children }) => children ?? [])) {
          const link = token.type === "link_open" ? (token.attrGet("href") ?? "") : ""
          const found = /^((?![a-z]+:).*\/|)README\.md(#.*)?$/.exec(link)
          if (found === null) continue
          const [, folder = "", anchor = ""] = found
          const isRoot = Path.posix.join(env.relativePath, "..", folder, "README.md") === "README.md"
          token.attrSet("href", `${folder}${isRoot ? "introduction" : "index"}.md${anchor}`)
        }
      })
    }
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [page("Recipes", "/docs/recipes/"), page("Guides", "/docs/session"), page("API", "/api/")],
    sidebar: {
      "/api/": [
        page("All modules", "/api/"),
        ...groups.map(({ modules, title: text }) => ({
          text,
          items: modules.map((module) => page(module.name, `/api/${pageOf(module)}`))
        }))
      ],
      "/": [
        {
          text: "Start",
          items: [
            page("Introduction", "/introduction"),
            page("The packages", "/docs/packages"),
            page("Examples", "/examples/")
          ]
        },
        { text: "Recipes", items: [page("All recipes", "/docs/recipes/"), ...recipes] },
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
            page("What the specification shows", "/docs/specification"),
            page("The 47 endpoints", "/docs/endpoints"),
            page("API", "/api/"),
            page("The command custody", "/packages/extensions/cli/"),
            page("Glossary", "/docs/glossary"),
            page("Releases", "/docs/releases"),
            page("Versions of Effect", "/docs/effect-versions"),
            page("Security", "/SECURITY")
          ]
        },
        {
          text: "Behind it",
          items: [
            page("Contributing", "/CONTRIBUTING"),
            page("Architecture", "/docs/internals/architecture"),
            page("The session's algorithm", "/docs/internals/session"),
            page("Speed", "/docs/internals/speed"),
            page("Lost answers", "/docs/lost-answers"),
            page("Decisions", "/docs/decisions/")
          ]
        }
      ]
    }
  }
})
