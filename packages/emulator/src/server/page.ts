/** The page of an emulator, as one document: its state, its requests, and buttons for its controls. */
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import { document, escaped, table } from "./PageParts.ts"
import * as Actions from "./actions.ts"
import { makeScript } from "./script.ts"

/** Encodes a value as JSON that is safe inside a script element. */
const json = (value: unknown): string => JSON.stringify(value).replaceAll("<", "\\u003c")

const button = ({ id, label, title }: Actions.Action): string =>
  `<button type="button" id="${id}" title="${escaped(title)}">${escaped(label)}</button>`

const options = (rows: ReadonlyArray<readonly [value: string, label: string]>): string =>
  rows.map(([value, label]) => `<option value="${escaped(value)}">${escaped(label)}</option>`).join("")

const script = makeScript(
  json({ serviceActions: Actions.serviceActions, callActions: Actions.callActions, codes: Actions.codes })
)

export const page = (baseUrl: string): HttpServerResponse.HttpServerResponse =>
  document({
    title: "custody-emulator",
    script,
    body: `<header>
<h1>custody-emulator</h1>
<code>${escaped(baseUrl)}</code>
<a href="/docs">API reference</a>
<a href="/emulator/docs">controls reference</a>
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
<fieldset><legend>Service</legend>${Actions.serviceActions.map(button).join("")}</fieldset>
<fieldset><legend>Next call of</legend>
<select id="operation" aria-label="Operation">${options([
      ["*", "any operation"],
      ...CustodyApi.operations.map(({ operation }) => [operation, operation] as const)
    ])}</select>
${Actions.callActions.map(button).join("")}
<button type="button" id="answer" title="The service answers with this code and does nothing">Answer</button>
<select id="code" aria-label="Code">${options(Actions.codes.map(({ code, label }) => [code, label]))}</select>
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
  [">#", "at (UTC)", "status", "method", "path", "operation", "code", "token", ">took", "fault"],
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
  })
