/** The page of an emulator: its state, its requests, and buttons for its controls. */
import * as ApiError from "@effect-custody/core/ApiError"
import { escapeInvisible } from "@effect-custody/core/Text"
import * as Page from "../localPage/Page.ts"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as Fault from "../model/Fault.ts"

const { escaped, table } = Page

const encoded = (fault: Fault.Fault): string =>
  JSON.stringify(Result.getOrThrow(Schema.encodeResult(Fault.Fault)(fault)))

/** A button that sends a control. With `data-next`, the control is about the next call of the chosen operation. */
const button = (id: string, label: string, title: string, attributes: Readonly<Record<string, string>>): string =>
  `<button type="button" id="${id}" title="${escaped(title)}"${Object.entries(attributes)
    .map(([name, value]) => ` data-${name}="${escaped(value)}"`)
    .join("")}>${escaped(label)}</button>`

const serviceButtons = [
  button("refresh-lost", "Drop answer of next refresh", "The session rotates, and the answer is lost", {
    path: "/emulator/faults",
    body: `{"operation":"authentication.refreshToken","fault":${encoded(Fault.answerLost())}}`
  }),
  button("reject", "Reject next transaction", "The next send or transfer ends as REJECTED", {
    path: "/emulator/fail-next"
  }),
  button("expire", "Expire tokens", "Expires every access token now", { path: "/emulator/expire" }),
  button("revoke", "Revoke sessions", "Every token is refused from now on", { path: "/emulator/revoke" })
]

const next = (id: string, label: string, title: string, fault: Fault.Fault): string =>
  button(id, label, title, { path: "/emulator/faults", body: `{"fault":${encoded(fault)}}`, next: "" })

const callButtons = [
  next("reset", "Reset", "The connection breaks after the request; the service does nothing", Fault.reset()),
  next("lost", "Drop answer", "The service acts; the connection breaks before the answer", Fault.answerLost()),
  next("throttle", "429", "Too many requests, Retry-After: 1", Fault.rateLimited("1 second")),
  next("unavailable", "503", "The service fails and does nothing", Fault.serverError({ status: 503 })),
  next("slow", "Slow", "The answer takes 5 seconds", Fault.delayed({ answer: "5 seconds" }))
]

const options = (rows: ReadonlyArray<readonly [value: string, label: string]>): string =>
  rows.map(([value, label]) => `<option value="${escaped(value)}">${escaped(label)}</option>`).join("")

const operations = options([
  ["*", "any operation"],
  ...CustodyApi.operations.map(({ operation }) => [operation, operation] as const)
])

const codes = options(
  Object.entries(ApiError.answers).map(([code, { message, status }]) => [
    encoded(Fault.refused(code as ApiError.Code)),
    `${code} · ${status} ${message}`
  ])
)

const body = (baseUrl: string): string => `<header>
<h1>custody-emulator</h1>
<code>${escaped(baseUrl)}</code>
<a href="/docs">API reference</a>
<span id="state" class="off" role="status">not connected</span>
</header>
<main>
<p id="paid-again" class="alarm wide" role="alert" hidden></p>
<section class="card" aria-label="Counts">
<dl>
<div><dt>requests</dt><dd id="count-requests">0</dd></div>
<div><dt>refreshes</dt><dd id="count-refreshes">0</dd></div>
<div><dt>rotations</dt><dd id="count-rotations">0</dd></div>
</dl>
</section>
${table("sessions", "Sessions", ["session", "state", "vault", "generation", ">age", ">since rotation"])}
<section class="card wide" aria-labelledby="faults-title">
<h2 id="faults-title">Controls</h2>
<fieldset><legend>Service</legend>${serviceButtons.join("")}</fieldset>
<fieldset><legend>Next call of</legend>
<select id="operation" aria-label="Operation">${operations}</select>
${callButtons.join("")}
<button type="button" id="answer" title="The service answers with this code and does nothing">Answer</button>
<select id="code" aria-label="Code">${codes}</select>
</fieldset>
<fieldset><legend>Fund</legend>
<input id="fund-client" aria-label="Client" placeholder="client, such as alice">
<input id="fund-asset" aria-label="Asset" value="usdc">
<input id="fund-amount" aria-label="Amount" value="100" inputmode="decimal">
<button type="button" id="fund" title="Credits the client with the amount; a new client is created first">Fund</button>
<output id="funded" class="good" for="fund-client fund-asset fund-amount"></output>
</fieldset>
<p id="message" role="status" aria-live="polite"></p>
<h3 id="pending-title">Pending</h3>
<ul id="pending" aria-labelledby="pending-title"></ul>
</section>
${table(
  "requests",
  "Requests",
  [">#", "at (UTC)", "status", "method", "path", "body", "operation", "code", "token", ">took", "fault"],
  "wide"
)}
${table(
  "ledger",
  "Ledger: what the service carried out",
  [">#", "check", "note", "operation", "client", ">amount", "unit", "to", "id", "at (UTC)"],
  "wide"
)}
${table("wallets", "Wallets", ["owner", "asset", ">balance", ">held", "network", ">transactions", "id"], "wide")}
${table("transactions", "Transactions", ["id", "status", "type", "note", "client", ">amount", "unit", "to", "at (UTC)"], "wide")}
</main>`

/** The page of the emulator at an address. */
export const make = (baseUrl: string) =>
  Page.make({
    title: "custody-emulator",
    visible: escapeInvisible,
    body: body(baseUrl),
    manifest: import.meta.resolve("@effect-custody/emulator/package.json")
  })
