import { assert, describe, it } from "@effect/vitest"
import { TokenStore } from "@effect-custody/authentication"
import { Amount, Environment } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Clients, Custody, Transactions, Vaults } from "@effect-custody/sdk"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { FetchHttpClient, HttpClient } from "effect/http"
import { browserPage, executablePath, withChromium } from "../support/browser.ts"
import * as Program from "../support/childProgram.ts"

const client = (baseUrl: string, apiKey: string) =>
  Custody.layer({ environment: Environment.emulator(baseUrl), apiKey: Redacted.make(apiKey) }).pipe(
    Layer.provide([NodeCustody.layerHttpClient(), Layer.fresh(TokenStore.layerMemory)])
  )

const start = Effect.gen(function* () {
  const running = yield* Program.startEmulator()
  const { complaints, page } = yield* browserPage
  const origin = new URL(running.baseUrl).origin
  yield* Effect.promise(() => page.goto(origin))
  yield* Effect.promise(() => page.getByRole("status").getByText("live").waitFor())
  return { ...running, complaints, origin, page }
})

const within = { timeout: 10_000 }

describe.skipIf(executablePath === undefined)(withChromium("the page of the emulator, in Chromium"), () => {
  it.live("the page shows the only refresh after tokens expire while a client continues to call", () =>
    Effect.gen(function* () {
      const { apiKey, baseUrl, complaints, origin, page } = yield* start
      const calling = yield* Effect.forkChild(
        Effect.forever(Effect.andThen(Vaults.details(), Effect.sleep("40 millis"))).pipe(
          Effect.provide(client(baseUrl, apiKey))
        )
      )
      const rows = (text: string) => page.locator("#requests tr", { hasText: text })
      yield* Effect.promise(() => rows("vaults.details").nth(5).waitFor(within))
      assert.strictEqual(yield* Effect.promise(() => rows("authentication.refreshToken").count()), 0)
      yield* Effect.promise(() => page.getByRole("button", { name: "Expire tokens" }).click())
      yield* Effect.promise(() => rows("authentication.refreshToken").waitFor(within))
      yield* Effect.promise(() => rows("session 1, generation 1").nth(5).waitFor(within))
      assert.strictEqual(yield* Effect.promise(() => rows("authentication.refreshToken").count()), 1)
      assert.isAbove(yield* Effect.promise(() => rows("E40003").count()), 0)
      yield* Effect.promise(() => page.locator("#count-refreshes", { hasText: /^1$/ }).waitFor(within))
      yield* Effect.promise(() => page.locator("#sessions .generation", { hasText: /^1$/ }).waitFor(within))
      const counts = yield* Effect.flatMap(HttpClient.get(`${origin}/emulator/counts`), ({ json }) => json)
      assert.deepInclude(counts, { refreshes: 1, rotations: 1 })
      assert.isUndefined(calling.pollUnsafe(), "the client goes on")
      yield* Fiber.interrupt(calling)
      assert.deepStrictEqual(complaints, [])
    }).pipe(Effect.provide(FetchHttpClient.layer))
  )

  it.live(
    "the page injects the faults of its buttons, by keyboard too, and shows wallets, transactions and no secret",
    () =>
      Effect.gen(function* () {
        const { apiKey, baseUrl, complaints, page } = yield* start
        const press = (id: string) => Effect.promise(() => page.locator(id).press("Enter"))
        const fill = (id: string, text: string) => Effect.promise(() => page.locator(id).fill(text))
        const send = Transactions.send({
          clientId: "alice",
          assetId: "usdc",
          to: "0x52908400098527886E0F7030069857D2E4169EE7",
          amount: Amount.of("12.50"),
          note: "invoice-1"
        })
        const pending = (text: string) =>
          Effect.promise(() => page.locator("#pending li", { hasText: text }).waitFor(within))
        const saw = (id: string, text: string) =>
          Effect.promise(() => page.locator(`${id} tr`, { hasText: text }).first().waitFor(within))
        yield* Effect.gen(function* () {
          yield* Clients.createMany({ externalIds: ["alice", "bob"] })
          yield* fill("#fund-client", "alice")
          yield* fill("#fund-amount", "1000.25")
          yield* press("#fund")
          yield* saw("#wallets", "1000.25")
          yield* Effect.promise(() =>
            page.locator("#funded", { hasText: "alice has 1000.25 usdc now" }).waitFor(within)
          )
          yield* press("#reject")
          yield* Effect.promise(() => page.locator("#message", { hasText: "Reject next transaction" }).waitFor(within))
          yield* pending("next sends and transfers: REJECTED")
          yield* send
          yield* send
          yield* saw("#transactions", "REJECTED")
          yield* saw("#transactions", "invoice-1")
          assert.isFalse(yield* Effect.promise(() => page.locator("#paid-again").isVisible()))
          yield* send
          yield* saw("#ledger", "PAID AGAIN (2)")
          assert.strictEqual(yield* Effect.promise(() => page.locator("#ledger tr.again").count()), 1)
          assert.isTrue(yield* Effect.promise(() => page.locator("#paid-again").isVisible()))
          yield* saw("#wallets", "alice")
          yield* Effect.promise(() => page.locator("#operation").selectOption("vaults.details"))
          yield* press("#throttle")
          yield* pending("vaults.details: answered 429")
          yield* Vaults.details()
          yield* saw("#requests", "answered 429")
          yield* press("#refresh-lost")
          yield* pending("authentication.refreshToken: answerLost")
          yield* press("#unavailable")
          yield* pending("vaults.details: answered 503")
          // The button goes with the faults, and the keyboard's place moves to the title of the card.
          yield* press("#pending button")
          yield* pending("No fault is pending.")
          assert.strictEqual(yield* Effect.promise(() => page.evaluate("document.activeElement.id")), "faults-title")
          yield* press("#reset")
          yield* Vaults.details()
          yield* saw("#requests", "reset")
        }).pipe(Effect.provide(client(baseUrl, apiKey)))
        for (const colorScheme of ["light", "dark"] as const) {
          yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
          yield* Effect.promise(() => page.setViewportSize({ width: 390, height: 844 }))
          const overflow = "document.documentElement.scrollWidth - innerWidth"
          assert.strictEqual(yield* Effect.promise(() => page.evaluate(overflow)), 0, colorScheme)
        }
        const content = yield* Effect.promise(() => page.content())
        assert.notMatch(content, /\b(?:at|rt|ak)_\w{20}/)
        assert.notInclude(content, apiKey)
        // Chromium tells of a refused font, image or script here.
        assert.deepStrictEqual(complaints, [])
      }).pipe(Effect.provide(FetchHttpClient.layer))
  )
})
