/** The page of the ledger. */
import * as PageParts from "@effect-custody/emulator/unstable/PageParts"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"
import * as FirstPayout from "./firstPayout.ts"
import { script } from "./pageScript.ts"

const ownStyle = `
progress { width: 160px; accent-color: var(--good); }
.undecided, .first, .held { border: 1px solid var(--warn); border-radius: 8px; padding: 10px 12px; margin-bottom: 10px; }
article h3 { color: var(--ink); font-weight: 600; margin: 0 0 6px; overflow-wrap: anywhere; }
article dd { font-size: 14px; overflow-wrap: anywhere; } article dl > div { max-width: 100%; }
.held > div { overflow-x: auto; }
.undecided ul { margin: 4px 0; padding-left: 18px; overflow-wrap: anywhere; }
td.detail { min-width: 160px; white-space: normal; }
#message { position: sticky; top: 0; z-index: 1; background: var(--card); margin: 0; padding: 6px 14px;
  border: 1px solid currentColor; border-radius: 8px; overflow-wrap: anywhere; }
#message:empty { min-height: 0; padding: 0; border: 0; }
.form { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
.not-paid { border-color: var(--bad); color: var(--bad); } .paid { border-color: var(--good); color: var(--good); }
#stopped { border: 2px solid var(--bad); } #stopped h2 { color: var(--bad); }
#alarms { margin: 0; padding-left: 18px; overflow-wrap: anywhere; color: var(--bad); } #alarms .form { color: var(--ink); } #alarms li { margin-bottom: 8px; }
#waits { list-style: none; margin: 8px 0 0; padding: 0; overflow-wrap: anywhere; }
.sides { display: grid; gap: 12px; grid-template-columns: minmax(0, 1fr) minmax(0, 1fr); margin-top: 10px; }
@media (max-width: 700px) { .sides { grid-template-columns: minmax(0, 1fr); } }
pre { margin: 0; padding: 8px; border: 1px solid var(--line); border-radius: 6px; background: var(--paper); max-height: 360px;
  overflow: auto; white-space: pre-wrap; overflow-wrap: anywhere; font: 12.5px/1.45 ui-monospace, monospace; }
`

export const page = ({
  by,
  place
}: {
  readonly by: string
  readonly place: string
}): HttpServerResponse.HttpServerResponse =>
  PageParts.document({
    title: "custody payouts",
    style: ownStyle,
    script,
    body: `
<header>
<h1>custody payouts</h1>
<code>${PageParts.escaped(place)}</code>
<span id="states" class="soft"></span>
<span id="state" class="off" role="status">not connected</span>
</header>
<main>
<p id="message" class="wide" role="status" aria-live="polite"></p>
<section class="card wide" id="stopped" aria-labelledby="stopped-title" hidden>
<h2 id="stopped-title" role="alert">STOPPED: nothing more is sent until a person has looked at this</h2>
<ul id="alarms"></ul>
<p class="soft">A payment that was not as ordered, or that this ledger does not know, is decided below, or cancelled with custody payouts cancel.</p>
</section>
<section class="card wide" aria-label="You, and what the ledger waits for">
<fieldset><legend>Your name</legend><input id="by" aria-label="Your name" value="${PageParts.escaped(by)}"></fieldset>
<ul id="waits"></ul>
</section>
<section class="card wide" id="first-section" aria-labelledby="first-title" hidden>
<h2 id="first-title">First payouts: compare what was sent with what the service shows</h2>
<p id="question" class="soft">${PageParts.escaped(FirstPayout.question)}</p>
<div id="first"></div>
</section>
<section class="card wide" aria-labelledby="undecided-title">
<h2 id="undecided-title" tabindex="-1">Undecided: a person has to look at the service</h2>
<div id="undecided"></div>
<p id="nothing" class="soft"></p>
</section>
<div id="unknown-section" class="wide" hidden>
${PageParts.table("unknown", "May have been sent: looked for in the history", ["reference", "looked for until", "amount", "sent"])}
</div>
<section class="card wide" id="held-section" aria-labelledby="held-title" hidden>
<h2 id="held-title">Held: another person approves</h2>
<div id="held"></div>
</section>
${PageParts.table("batches", "Batches", ["batch", ">paid", "states", "progress"], "wide")}
<section class="card wide" aria-labelledby="tie-title">
<h2 id="tie-title">Tie-out of a day (UTC)</h2>
<fieldset><legend>Day</legend><input id="day" type="date" aria-label="Day">
<button type="button" id="compare">Compare with the service</button></fieldset>
<p id="tied" role="status" class="soft"></p>
</section>
${PageParts.table("differences", "Differences", ["reference", "kind", "detail", ">ours", ">theirs", "transaction"], "wide")}
</main>`
  })
