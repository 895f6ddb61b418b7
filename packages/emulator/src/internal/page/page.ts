/** The page of an emulator: its state, its requests, and buttons for its controls. */
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as Actions from "./actions.ts"
import * as Document from "./document.ts"
import { script } from "./script.ts"
import { page as style } from "./style.ts"

const button = ({ id, label, title }: Actions.Action): string =>
  `<button type="button" id="${id}" title="${Document.escaped(title)}">${Document.escaped(label)}</button>`

const options = (rows: ReadonlyArray<readonly [value: string, label: string]>): string =>
  rows
    .map(([value, label]) => `<option value="${Document.escaped(value)}">${Document.escaped(label)}</option>`)
    .join("")

const table = (id: string, title: string, columns: ReadonlyArray<string>, classes = ""): string => `
<section class="card ${classes}" aria-labelledby="${id}-title">
<h2 id="${id}-title">${title}</h2>
<div class="scroll" id="${id}-scroll" tabindex="0" role="region" aria-labelledby="${id}-title">
<table><thead><tr>${columns
  .map((column) =>
    column.startsWith(">") ? `<th scope="col" class="end">${column.slice(1)}</th>` : `<th scope="col">${column}</th>`
  )
  .join("")}</tr></thead><tbody id="${id}"></tbody></table>
</div>
</section>`

/** Renders the page. */
export const page = (baseUrl: string, operations: ReadonlyArray<string>): HttpServerResponse.HttpServerResponse =>
  Document.response({
    title: "custody-emulator",
    style,
    script: script(
      Document.json({ serviceActions: Actions.serviceActions, callActions: Actions.callActions, codes: Actions.codes })
    ),
    body: `
<header>
<h1>custody-emulator</h1>
<code>${Document.escaped(baseUrl)}</code>
<a href="/docs">API reference</a>
<a href="/emulator/docs">controls reference</a>
<span id="state" class="off" role="status">not connected</span>
</header>
<main>
<section class="card" aria-label="Counts">
<dl>
<div><dt>requests</dt><dd id="count-requests">0</dd></div>
<div><dt>refreshes</dt><dd id="count-refreshes">0</dd></div>
<div><dt>rotations</dt><dd id="count-rotations">0</dd></div>
</dl>
<p id="pending" class="soft"></p>
</section>
${table("sessions", "Sessions", ["session", "vault", "generation", ">age", ">since rotation", "state"])}
<section class="card wide" aria-labelledby="faults-title">
<h2 id="faults-title">Controls</h2>
<fieldset><legend>Service</legend>${Actions.serviceActions.map(button).join("")}</fieldset>
<fieldset><legend>Next call of</legend>
<select id="operation" aria-label="Operation">${options([
      ["*", "any operation"],
      ...operations.map((name) => [name, name] as const)
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
</fieldset>
<p id="said" role="status" aria-live="polite"></p>
</section>
${table(
  "requests",
  "Requests",
  [">#", "at (UTC)", "status", "method", "path", "operation", "code", "token", ">took", "fault"],
  "wide"
)}
${table("wallets", "Wallets", ["id", "owner", "asset", "network", ">balance", ">held", ">transactions"])}
${table("transactions", "Transactions", ["id", "at (UTC)", "type", "status", "client", ">amount", "unit", "to"])}
</main>`
  })
