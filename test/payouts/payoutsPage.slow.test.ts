/** The page of `custody payouts serve`, in Chromium and for programs. */
import { CustodyEmulator, Fault } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Amount, Custody, TokenStore, Transactions } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { writeFileSync } from "node:fs"
import * as Http from "node:http"
import * as Path from "node:path"
import { browserPage, executablePath, withChromium } from "../support/browser.ts"
import { inside, temporaryDirectory } from "../support/servers/sqlitePlace.ts"
import * as Program from "../support/childProgram.ts"

const within = { timeout: 20_000 }

/** The status of a request with headers that fetch cannot set. */
const status = (url: string, headers: Http.OutgoingHttpHeaders = {}) =>
  Effect.callback<number | undefined>((resume) => {
    Http.request(url, { headers }, (response) => {
      response.resume()
      resume(Effect.succeed(response.statusCode))
    }).end()
  })

const header = "reference,clientId,assetId,to,amount"

/** The command in a directory with a file of payouts. */
const makePlace = Effect.fnUntraced(function* (payouts: number) {
  yield* Program.onboard("alice")
  const environment = yield* Program.environmentOf()
  const directory = yield* temporaryDirectory
  const env = { ...environment, CUSTODY_SESSION_FILE: Path.join(directory, "session.db") }
  const write = (name: string, text: string) => writeFileSync(Path.join(directory, name), text)
  const rows = Array.from({ length: payouts }, (_, at) => `june-${at + 1},alice,usdc,0xabc${at + 1},0.5`)
  write("june.csv", [header, ...rows, ""].join("\n"))
  const custody = (command: string) =>
    Program.run([Program.custody, "payouts", ...Program.words(command)], env, directory)
  const serve = Effect.gen(function* () {
    const serving = yield* Program.start([Program.custody, "payouts", "serve", "--by", "ada"], env, directory)
    return { serving, url: yield* serving.saying(/(http:\S+)/) }
  })
  return { custody, directory, serve, write }
})

/** A ledger of three payouts, two of which the service never answered, and its page. */
const start = Effect.gen(function* () {
  const { custody, serve, write } = yield* makePlace(3)
  const { faults } = yield* CustodyEmulator
  // The service does nothing, and the client cannot know.
  yield* faults.next("transactions.send", Fault.answered({ status: 503 }), { times: 2 })
  const open = yield* custody(
    "run june.csv --yes --in-flight 1 --undecided-after 1~second --send-within 1~second --wait 1~minute"
  )
  assert.match(open.output, /2 undecided, 1 paid/, open.errors)
  // june-2 was paid by hand.
  write("hand.csv", `${header}\nhand,alice,usdc,0xabc2,0.5\n`)
  const hand = yield* custody("run hand.csv --yes --ledger hand.db")
  assert.match(hand.output, /1 paid/, hand.errors)
  const { ledger } = yield* CustodyEmulator
  const byHand = (yield* ledger).findLast(({ operation }) => operation === "transactions.send")?.id ?? ""
  const hold = (reference: string) => {
    const row = `${reference},alice,usdc,0x${reference},0.25`
    write("july.csv", `${header}\n${row}\n`)
    return Effect.map(custody("run july.csv --hold --by ann --yes"), ({ errors }) => assert.strictEqual(errors, ""))
  }
  return { byHand, custody, hold, ...(yield* serve) }
})

/** Pays as another program would. */
const payByHand = Effect.fnUntraced(function* (note: string) {
  const { environment, issueApiKey } = yield* CustodyEmulator
  const client = Custody.layer({ environment, apiKey: yield* issueApiKey() }).pipe(
    Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
  )
  const payment = { clientId: "alice", assetId: "usdc", to: "0xabc1", amount: Amount.of("0.5"), note }
  return yield* Effect.provide(Transactions.send(payment), client, { local: true })
})

const onEmulator = Effect.provide(CustodyEmulator.layerServer(), { local: true })

describe.skipIf(executablePath === undefined)(withChromium("custody payouts serve"), () => {
  it.live("a person decides on the page, and only who has its address reaches it", () =>
    Effect.gen(function* () {
      const { byHand, custody, hold, serving, url } = yield* start
      const { host, origin } = new URL(url)
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d+\/[0-9a-f]{48}\/$/)
      assert.strictEqual(yield* status(url), 200)
      assert.strictEqual(yield* status(`${origin}/`), 404)
      assert.strictEqual(yield* status(url.replace(/.\/$/, "x/")), 404)
      assert.strictEqual(yield* status(url, { host: "rebound.example" }), 403)
      assert.strictEqual(yield* status(`${url}state`, { host, origin: "https://elsewhere.example" }), 403)

      const { complaints, page } = yield* browserPage
      const wait = (selector: string, text: string | RegExp) =>
        Effect.promise(() => page.locator(selector, { hasText: text }).first().waitFor(within))
      yield* Effect.promise(() => page.goto(url))
      yield* wait("#state", "live")
      yield* wait("#batches tr", "2 undecided, 1 paid")
      const cards = page.locator("article.undecided")
      assert.strictEqual(yield* Effect.promise(() => cards.count()), 2)
      const first = cards.nth(0)
      const text = yield* Effect.promise(() => first.innerText())
      for (const known of [
        "june-1",
        "0.5 usdc",
        "alice",
        "0xabc1",
        "the whole history does not show it",
        "batch june"
      ]) {
        assert.include(text, known)
      }

      // Without a reason, nothing is decided.
      yield* Effect.promise(() => first.getByRole("button", { name: "Not paid: send again" }).click())
      yield* wait("#message", "Say the reason first.")
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(() => first.getByLabel("The reason").fill("looked, it is not there"))
      yield* Effect.promise(() => first.getByRole("button", { name: "Not paid: send again" }).press("Enter"))
      yield* wait("#message", "june-1: not paid.")
      yield* Effect.promise(() => cards.nth(1).waitFor({ ...within, state: "detached" }))
      // The keyboard is in the reason of the next payout.
      yield* Effect.promise(() => page.waitForFunction("document.activeElement.className === 'reason'", null, within))
      yield* Effect.promise(() => page.keyboard.type("found by its address"))
      yield* Effect.promise(() => cards.getByLabel("The transaction").fill(`${byHand}x`))
      yield* Effect.promise(() => cards.getByRole("button", { name: "Paid by this transaction" }).press("Enter"))
      yield* wait("#message", `the service has no transaction ${byHand}x`)
      yield* Effect.promise(() => cards.getByLabel("The transaction").fill(byHand))
      yield* Effect.promise(() => cards.getByRole("button", { name: "Paid by this transaction" }).press("Enter"))
      yield* wait("#message", `june-2: paid by ${byHand}.`)
      yield* wait("#nothing", "Nothing is undecided.")
      const shown = [yield* custody("show june-1"), yield* custody("show june-2")].map(({ output }) => output)
      assert.match(shown[0]!, /ada +decidedNotPaid +ready +looked, it is not there/)
      assert.match(shown[1]!, /ada +decidedPaid +accepted +.*found by its address/)

      yield* Effect.promise(() => page.getByRole("button", { name: "Compare with the service" }).press("Enter"))
      yield* wait("#tied", /\d payouts, 2 outgoing transactions/)
      // Bob approves what he sees, and not what came since.
      yield* hold("july-1")
      const held = page.locator("article.held")
      const press = (name: RegExp) => Effect.promise(() => held.getByRole("button", { name }).press("Enter"))
      yield* Effect.promise(() => page.getByLabel("Your name").fill("ANN"))
      yield* press(/Review/)
      yield* press(/Approve 1 payouts/)
      yield* wait("#message", "ann has submitted it")
      yield* Effect.promise(() => page.getByLabel("Your name").fill("bob"))
      yield* press(/Review/)
      yield* wait("article.held", /submitted by ann.*recipient \(1\).*0xjuly-10\.25 usdc from alice/s)
      yield* hold("july-2")
      yield* press(/Approve 1 payouts/)
      yield* wait("#message", "it has changed since it was reviewed")
      yield* press(/Review/)
      yield* wait("article.held", /recipient \(2\)/)
      yield* press(/Approve 2 payouts/)
      yield* wait("#message", "july: approved.")
      yield* wait("#batches tr", "2 ready")
      for (const colorScheme of ["light", "dark"] as const) {
        yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
        yield* Effect.promise(() => page.setViewportSize({ width: 390, height: 844 }))
        const overflow = "document.documentElement.scrollWidth - innerWidth"
        assert.strictEqual(yield* Effect.promise(() => page.evaluate(overflow)), 0, colorScheme)
      }
      // The browser reports the refused transaction and the refused approvals, and nothing else.
      assert.lengthOf(complaints, 3)
      assert.include(complaints[0], "status of 400")
      yield* serving.kill("SIGTERM")
      assert.strictEqual((yield* serving.result).errors, "")
    }).pipe(onEmulator)
  )

  it.live("the page shows what stops the ledger, and a person confirms a first payout as it went over the wire", () =>
    Effect.gen(function* () {
      const { custody, directory, serve, write } = yield* makePlace(4)
      // A contract that nobody has confirmed by a payout.
      // The assumed wire, and yet not by its name alone: so its fingerprint is a new one.
      const contract = `
        import { Adapter } from "@effect-custody/contract"
        import { Amount, Transactions } from "@effect-custody/sdk"
        const record = { id: "t1", status: "PENDING" }
        const exampleOf = (data, status = 200) => ({ message: "", data, status })
        const order = { clientId: "a", assetId: "usdc", to: "0x1" }
        const send = Adapter.test(Adapter.assumed(Transactions.send), {
          input: { ...order, amount: Amount.of("1") },
          request: { line: "POST /transactions/send", body: { ...order, amount: "1" } },
          example: exampleOf(record, 201),
          record
        })
        const get = Adapter.test(Adapter.assumed(Transactions.get), {
          input: { transactionId: "t1" },
          request: { line: "GET /transactions/t1" },
          example: exampleOf(record),
          record
        })
        const list = Adapter.test(Adapter.assumed(Transactions.list), {
          input: {},
          request: { line: "GET /transactions" },
          example: exampleOf({ items: [record], hasNextPage: false }),
          record: [record]
        })
        export default Adapter.layer([send, get, list], { payload: (body) => body.data })`
      write("contract.ts", contract)
      const run = (options = "") => custody(`run june.csv --yes --contract contract.ts ${options}`.trim())
      const waiting = yield* run()
      assert.match(waiting.output, /june-1, is shown: the others wait until a person confirms it/, waiting.errors)
      const { serving, url } = yield* serve
      const { complaints, page } = yield* browserPage
      const wait = (selector: string, text: string | RegExp) =>
        Effect.promise(() => page.locator(selector, { hasText: text }).first().waitFor(within))
      const press = (name: string) => Effect.promise(() => page.getByRole("button", { name }).press("Enter"))
      page.on("dialog", (dialog) => void dialog.accept())
      yield* Effect.promise(() => page.goto(url))
      yield* wait("#waits", "june-1, is shown: the others wait until a person confirms it")
      yield* wait("#waits", "the history was read back to")
      yield* wait(".first .sides", /POST http:.*"to":"0xabc1".*as the service gave it.*"amount":"-?0.5"/s)
      yield* press("Confirm: both say what was ordered")
      yield* wait("#message", "june-1: confirmed.")
      yield* Effect.promise(() => page.locator(".first").waitFor({ ...within, state: "detached" }))
      const paid = yield* run()
      assert.strictEqual(paid.code, 0, paid.errors)

      const { id } = yield* payByHand("june-1")
      write("july.csv", `${header}\njuly,alice,usdc,0xabc9,0.5\n`)
      const stopped = yield* custody("run july.csv --yes --contract contract.ts")
      assert.match(stopped.errors, new RegExp(`june-1 paid again: ${id}`))
      yield* wait("#stopped", `june-1 was PAID TWICE, or the service named another payout's transaction: ${id}`)
      inside(Path.join(directory, "ledger.db"), (database) => {
        database.exec(`
          UPDATE payouts SET state = 'mismatched', alarm = 'mismatch', alarm_detail = 'amount: 0.5 here, 50 there',
            detail = 'amount: 0.5 here, 50 there' WHERE reference = 'june-2';
          UPDATE payouts SET state = 'unknown' WHERE reference = 'june-3';
          UPDATE payouts SET state = 'ready', attempt = 0, intent_at = NULL, alarm = 'behind', alarm_detail = transaction_id,
            transaction_id = NULL WHERE reference = 'june-4';
          UPDATE payout_meta SET value = 'changed x', until = 1 WHERE name = 'identity';`)
      })
      yield* wait("#stopped", "june-2 was not paid as ordered: amount: 0.5 here, 50 there")
      yield* wait("#stopped", "june-4 was in the history before this ledger sent it")
      yield* wait("article.undecided", /june-2: mismatched.*0.5 here, 50 there/s)
      yield* wait("#unknown tr", /june-3.*T.*Z0\.5 usdc.*T.*Z/)
      yield* wait("#waits", "since 1970-01-01T00:00:00.001Z the database is another one")
      // Its transaction is there already, and a payout that was never sent cannot be sent again.
      const behind = page.locator("article.undecided", { hasText: "june-4: paid before" })
      assert.strictEqual(yield* Effect.promise(() => behind.getByRole("button").count()), 1)
      yield* Effect.promise(() => behind.getByLabel("The reason").fill("the old ledger paid it"))
      yield* Effect.promise(() => behind.getByRole("button").press("Enter"))
      yield* wait("#message", /june-4: paid by .+\./)
      for (const colorScheme of ["light", "dark"] as const) {
        yield* Effect.promise(() => page.emulateMedia({ colorScheme }))
        yield* Effect.promise(() => page.setViewportSize({ width: 390, height: 844 }))
        const overflow = "document.documentElement.scrollWidth - innerWidth"
        assert.strictEqual(yield* Effect.promise(() => page.evaluate(overflow)), 0, colorScheme)
      }
      yield* press("Acknowledge")
      yield* wait("#message", "Say the reason first.")
      yield* Effect.promise(() => page.locator("#alarms").getByLabel("The reason").fill("paid by hand"))
      yield* press("Acknowledge")
      yield* wait("#message", "june-1: acknowledged.")
      assert.match((yield* custody("show june-1")).output, /ada +acknowledged +paid +paid by hand/)
      assert.deepStrictEqual(complaints, [])
      yield* serving.kill("SIGTERM")
      assert.strictEqual((yield* serving.result).errors, "")
    }).pipe(onEmulator)
  )
})
