/** The site of the documentation, as `pnpm site` builds it, in Chromium: links, search, code, the API reference. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { existsSync, globSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Path from "node:path"
import { chromium } from "playwright-core"

const site = Path.resolve(import.meta.dirname, "../../.site")
const dist = Path.join(site, "dist")

const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync)

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".woff2": "font/woff2"
}

/** The files of the site and nothing else, as any host of static files gives them. */
const server = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly origin: string; readonly close: () => void }>((resolve) => {
        const files = createServer((request, response) => {
          const path = decodeURIComponent(new URL(request.url ?? "/", "http://localhost").pathname)
          const file = Path.join(dist, path.endsWith("/") ? `${path}index.html` : path)
          if (!file.startsWith(dist) || !existsSync(file)) return response.writeHead(404).end()
          response.writeHead(200, { "content-type": types[Path.extname(file)] ?? "application/octet-stream" })
          return response.end(readFileSync(file))
        }).listen(0, "127.0.0.1", () => {
          const { port } = files.address() as AddressInfo
          resolve({ origin: `http://127.0.0.1:${port}`, close: () => files.close() })
        })
      })
  ),
  ({ close }) => Effect.sync(close)
)

/** A page of the browser, and what its console complains about. */
const browserPage = Effect.gen(function* () {
  const browser = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launch({ executablePath: executablePath!, args: ["--no-sandbox", "--disable-gpu", "--disable-quic"] })
    ),
    (opened) => Effect.promise(() => opened.close())
  )
  const page = yield* Effect.promise(() => browser.newPage({ viewport: { width: 1400, height: 1000 } }))
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  return { page, complaints }
})

/** The links of a built page to other pages of the site. */
const linksOf = (file: string): ReadonlyArray<{ readonly page: string; readonly anchor: string | undefined }> =>
  [...readFileSync(Path.join(dist, file), "utf8").matchAll(/<a [^>]*?href="([^"]+)"/g)].flatMap(([, href = ""]) => {
    const url = new URL(href, `http://site/${file}`)
    if (url.host !== "site") return []
    const path = decodeURIComponent(url.pathname).slice(1)
    const page = path === "" || path.endsWith("/") ? `${path}index.html` : path
    return [{ page, anchor: url.hash === "" ? undefined : decodeURIComponent(url.hash.slice(1)) }]
  })

if (executablePath === undefined) console.info("No Chromium on this machine: the site is not tested")

describe.skipIf(executablePath === undefined)("the site of the documentation", () => {
  it("is built", () => {
    execFileSync(process.execPath, [Path.join(site, "build.ts")], { stdio: "pipe" })
    assert.isTrue(existsSync(Path.join(dist, "index.html")))
  })

  it("has no link that leads nowhere, in the API reference too", () => {
    const pages = globSync("**/*.html", { cwd: dist })
    const ids = new Map(
      pages.map((page) => [
        page,
        new Set([...readFileSync(Path.join(dist, page), "utf8").matchAll(/ id="([^"]+)"/g)].map(([, id]) => id))
      ])
    )
    const broken = pages.flatMap((file) =>
      linksOf(file)
        .filter(({ anchor, page }) => {
          const found = ids.get(page) ?? (existsSync(Path.join(dist, page)) ? new Set<string>() : undefined)
          return found === undefined || (anchor !== undefined && !found.has(anchor))
        })
        .map(({ anchor, page }) => `${file}: ${page}${anchor === undefined ? "" : `#${anchor}`}`)
    )
    assert.isAbove(pages.length, 80)
    assert.deepStrictEqual([...new Set(broken)], [])
  })

  it.live("finds a recipe by its words, and shows its code in colour, with a button to copy it", () =>
    Effect.gen(function* () {
      const { origin } = yield* server
      const { complaints, page } = yield* browserPage
      yield* Effect.promise(() => page.goto(origin))
      yield* Effect.promise(() => page.getByRole("heading", { level: 1, name: "effect-custody" }).waitFor())
      yield* Effect.promise(() => page.getByRole("button", { name: "Search" }).first().click())
      yield* Effect.promise(() => page.getByRole("searchbox").fill("payout never made twice"))
      yield* Effect.promise(() => page.locator(".VPLocalSearchBox .results a", { hasText: "payout" }).first().click())
      yield* Effect.promise(() => page.waitForURL(/docs\/recipes\/payout\.html/))
      yield* Effect.promise(() => page.getByRole("heading", { level: 1, name: /never made twice/ }).waitFor())
      const code = page.locator("div.language-ts").first()
      assert.include(yield* Effect.promise(() => code.innerText()), "Transactions.reconcile(error, payout)")
      assert.isAbove(yield* Effect.promise(() => code.locator("span[style*='--shiki']").count()), 50)
      assert.strictEqual(yield* Effect.promise(() => code.locator("button.copy").count()), 1)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )

  it.live("leads from the sidebar to the reference of an operation, with its docstring and its example", () =>
    Effect.gen(function* () {
      const { origin } = yield* server
      const { complaints, page } = yield* browserPage
      yield* Effect.promise(() => page.goto(`${origin}/api/sdk/src/`))
      yield* Effect.promise(() => page.locator(".VPSidebar a", { hasText: /^Transactions$/ }).click())
      yield* Effect.promise(() => page.getByRole("heading", { name: /^send/ }).first().waitFor())
      const text = yield* Effect.promise(() => page.locator("main").innerText())
      assert.include(text, "Sends an asset from a client's wallet to an external address.")
      assert.include(text, "OutcomeUnknown if the money may have moved")
      assert.include(text, "Transactions.awaitFinal(sent.id)")
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.scoped)
  )
})
