/** The page of the ledger. */
import { escapeInvisible } from "@effect-custody/core/Text"
import * as Page from "@effect-custody/emulator/siblings/Page"
import * as FirstPayout from "./firstPayout.ts"

export const make = ({ by, place }: { readonly by: string; readonly place: string }) =>
  Page.make({
    title: "custody payouts",
    visible: escapeInvisible,
    manifest: import.meta.resolve("@effect-custody/cli/package.json"),
    body: `
<header>
<h1>custody payouts</h1>
<code>${Page.escaped(place)}</code>
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
<fieldset><legend>Your name</legend><input id="by" aria-label="Your name" value="${Page.escaped(by)}"></fieldset>
<ul id="waits"></ul>
</section>
<section class="card wide" id="first-section" aria-labelledby="first-title" hidden>
<h2 id="first-title">First payouts: compare what was sent with what the service shows</h2>
<p id="question" class="soft">${Page.escaped(FirstPayout.question)}</p>
<div id="first"></div>
</section>
<section class="card wide" aria-labelledby="undecided-title">
<h2 id="undecided-title" tabindex="-1">Undecided: a person has to look at the service</h2>
<div id="undecided"></div>
<p id="nothing" class="soft"></p>
</section>
<div id="unknown-section" class="wide" hidden>
${Page.table("unknown", "May have been sent: looked for in the history", ["reference", "looked for until", "amount", "sent"])}
</div>
<section class="card wide" id="held-section" aria-labelledby="held-title" hidden>
<h2 id="held-title">Held: another person approves</h2>
<div id="held"></div>
</section>
${Page.table("batches", "Batches", ["batch", ">paid", "states", "progress"], "wide")}
<section class="card wide" aria-labelledby="tie-title">
<h2 id="tie-title">Tie-out of a day (UTC)</h2>
<fieldset><legend>Day</legend><input id="day" type="date" aria-label="Day">
<button type="button" id="compare">Compare with the service</button></fieldset>
<p id="tied" role="status" class="soft"></p>
</section>
${Page.table("differences", "Differences", ["reference", "kind", "detail", ">ours", ">theirs", "transaction"], "wide")}
</main>`
  })
