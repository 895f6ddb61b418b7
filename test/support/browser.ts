/** Chromium, for the tests of pages. */
import { Effect } from "effect"
import { existsSync } from "node:fs"
import { chromium } from "playwright-core"
import { temporaryDirectory } from "./servers/sqlitePlace.ts"

export const executablePath = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(
  existsSync
)

/** The title of tests that need it. */
export const withChromium = (title: string): string =>
  executablePath === undefined ? `${title} (skipped: no Chromium in /usr/bin)` : title

const args = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync"
]

/** A page of a browser that has nothing but it; what it complains of is kept. */
export const browserPage = Effect.gen(function* () {
  const profile = yield* temporaryDirectory
  const context = yield* Effect.acquireRelease(
    Effect.promise(() =>
      chromium.launchPersistentContext(profile, {
        ...(executablePath === undefined ? {} : { executablePath }),
        headless: true,
        args,
        viewport: { width: 1400, height: 1000 }
      })
    ),
    (context) => Effect.promise(() => context.close())
  )
  const page = yield* Effect.promise(() => context.newPage())
  const complaints: Array<string> = []
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(message.text())
  })
  page.on("pageerror", (error) => complaints.push(error.message))
  return { page, complaints }
})
