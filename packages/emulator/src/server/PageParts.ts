/**
 * The parts of a page: light and dark styles, tables, and headers. The page loads nothing, and runs only its own
 * script.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { utf8ToBytes } from "@noble/hashes/utils.js"
import * as Base64 from "effect/encoding/Base64"
import * as HttpServerResponse from "effect/http/HttpServerResponse"

const style = `
:root { color-scheme: light dark; --paper: light-dark(#f6f7f9, #14171c); --card: light-dark(#fff, #1c2027);
  --ink: light-dark(#1b2330, #e4e8ef); --soft: light-dark(#5c6878, #97a3b4); --line: light-dark(#dde2e9, #2e353f);
  --accent: light-dark(#1d5fd0, #7fb0ff); --good: light-dark(#14713a, #5fd08d); --warn: light-dark(#96590a, #f0b454);
  --bad: light-dark(#b3261e, #ff8f87); --tint: light-dark(#eaf1fd, #22304a); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 14px/1.45 system-ui, sans-serif; }
main, header { max-width: 1440px; margin: 0 auto; padding: 12px 20px; }
h1 { font-size: 20px; margin: 0; } h2 { font-size: 15px; margin: 0 0 8px; }
a { color: var(--accent); } code, .code { font-family: ui-monospace, monospace; font-size: 12.5px; }
.soft { color: var(--soft); } .good { color: var(--good); } .warn { color: var(--warn); } .bad { color: var(--bad); }
.card { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 12px 14px; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
header { display: flex; flex-wrap: wrap; gap: 6px 18px; align-items: baseline; }
#state { margin-left: auto; }
#state::before { content: "● "; } #state.on { color: var(--good); } #state.off { color: var(--bad); }
main { display: grid; gap: 14px; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); padding-top: 0; }
.wide { grid-column: 1 / -1; }
@media (max-width: 900px) { main { grid-template-columns: minmax(0, 1fr); } }
dl { display: flex; flex-wrap: wrap; gap: 4px 28px; margin: 0; }
dt { color: var(--soft); font-size: 12px; } dd { margin: 0; font-size: 22px; font-variant-numeric: tabular-nums; }
fieldset { border: 0; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 8px; align-items: center; }
fieldset + fieldset { margin-top: 10px; padding-top: 10px; border-top: 1px solid var(--line); }
legend { float: left; min-width: 92px; color: var(--soft); padding: 0; }
button, select, input { font: inherit; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: 6px; padding: 5px 10px; max-width: 100%; }
button { cursor: pointer; } button:hover { border-color: var(--accent); background: var(--tint); }
button:active { transform: translateY(1px); }
::placeholder { color: var(--soft); opacity: 1; }
#message { min-height: 1.45em; margin: 10px 0; }
h3 { font-size: 13px; font-weight: 500; color: var(--soft); margin: 10px 0 4px; }
#pending { list-style: none; margin: 0; padding: 0; display: grid; gap: 6px; }
#pending li { display: flex; flex-wrap: wrap; gap: 4px 12px; align-items: center; }
#pending button, td button { padding: 1px 8px; }
.alarm { margin: 0; padding: 8px 14px; border-radius: 8px; border: 1px solid var(--bad); color: var(--bad); font-weight: 600; }
[hidden] { display: none; }
tr.again td { background: light-dark(#fdecea, #40211f); } tr.again td.bad { font-weight: 700; }
tr.funded td { background: var(--tint); }
.scroll { overflow: auto; max-height: 340px; } #requests-scroll { max-height: 420px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { position: sticky; top: 0; background: var(--card); text-align: left; color: var(--soft); font-weight: 500; }
th, td { padding: 3px 10px 3px 0; border-bottom: 1px solid var(--line); white-space: nowrap; }
td.end, th.end { text-align: right; padding-right: 18px; }
td.long { max-width: 150px; overflow: hidden; text-overflow: ellipsis; }
td.note { max-width: 220px; }
td.path { max-width: 340px; overflow: hidden; text-overflow: ellipsis; }
tr.refresh td { background: var(--tint); }
.empty td { color: var(--soft); border: 0; }
@media (max-width: 600px) { td.long { max-width: 100px; } td.end, th.end { padding-right: 10px; } }
`

/** The functions that the scripts of the pages share. They insert data as text only, never as HTML. */
const sharedScript = `"use strict"
const byId = (id) => document.getElementById(id)
const element = (name, text, properties) => Object.assign(document.createElement(name), text === undefined ? {} : { textContent: text }, properties)
const cell = (text, name = "") => element("td", text, { className: name, title: name.includes("long") && text ? text : "" })
const row = (cells, name = "") => {
  const tr = element("tr", undefined, { className: name })
  tr.append(...cells)
  return tr
}
/** Replaces the content of an element, and keeps the keyboard focus in it, or moves it to the title of the card. */
const replace = (parent, children) => {
  const { activeElement } = document
  const key = parent.contains(activeElement) ? activeElement.dataset.key : undefined
  parent.replaceChildren(...children)
  if (key === undefined) return
  const buttons = [...parent.querySelectorAll("button")]
  const next = buttons.find((one) => one.dataset.key === key) || buttons[0] || parent.closest("section").querySelector("h2")
  if (next.localName === "h2") next.tabIndex = -1
  next.focus()
}
/** Fills the body of a table. Without rows, it shows a sentence. */
const fill = (id, rows, nothing) => {
  const body = byId(id)
  const empty = cell(nothing)
  empty.colSpan = body.parentElement.tHead.rows[0].cells.length
  replace(body, rows.length === 0 ? [row([empty], "empty")] : rows)
}
const call = async (path, body, method = body === undefined ? "GET" : "POST") => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const response = await fetch(path, { method, ...sent })
  const text = await response.text()
  if (!response.ok) throw new Error(text === "" ? response.status : JSON.parse(text).message)
  return text === "" ? undefined : JSON.parse(text)
}
`

const contentSource = (text: string): string => `'sha256-${Base64.encode(sha256(utf8ToBytes(text)))}'`

export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)

/**
 * A table in a card. The script fills the table's body, which has the `id`. A column that begins with `>` is
 * right-aligned.
 */
export const table = (id: string, title: string, columns: ReadonlyArray<string>, classes = ""): string => `
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

/** A page, with headers that make the browser load only this page's style and data, and run only this page's script. */
export const document = (options: {
  readonly title: string
  readonly body: string
  /** Runs after the functions that all pages share. */
  readonly script: string
  /** Styles in addition to the shared ones. */
  readonly style?: string
}): HttpServerResponse.HttpServerResponse => {
  const styles = `${style}${options.style ?? ""}`
  const script = `${sharedScript}${options.script}`
  return HttpServerResponse.html(
    `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(options.title)}</title>
<link rel="icon" href="data:,">
<style>${styles}</style>
</head>
<body>
${options.body}
<script>${script}</script>
</body>
</html>
`
  ).pipe(
    HttpServerResponse.setHeaders({
      "cache-control": "no-store",
      "content-security-policy":
        `default-src 'none'; style-src ${contentSource(styles)}; script-src ${contentSource(script)}; ` +
        "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff"
    })
  )
}
