/** The page of the ledger. */
import * as PageParts from "@effect-custody/emulator/unstable/PageParts"
import type * as HttpServerResponse from "effect/http/HttpServerResponse"

const script = `const show = (text, bad) => {
  byId("message").textContent = text
  byId("message").className = bad ? "bad" : "good"
}
const decide = async (card, { reference, attempt }, outcome) => {
  const by = byId("by").value.trim()
  const reason = card.querySelector(".reason").value.trim()
  const missing = by === "" ? byId("by") : reason === "" ? card.querySelector(".reason") : outcome.paid === "" ? card.querySelector(".transaction") : undefined
  if (missing !== undefined) {
    show("Say " + missing.ariaLabel.toLowerCase() + " first.", true)
    return missing.focus()
  }
  if (outcome.notPaid && !confirm(reference + " will be sent AGAIN. Does the service certainly not have it?")) return
  try {
    await call("decide", { reference, attempt, outcome, by, reason })
    show(reference + (outcome.notPaid ? ": not paid. custody payouts run sends it again." : ": paid by " + outcome.paid + "."), false)
    await update()
    const next = document.querySelector("#undecided .reason")
    if (next) next.focus()
    else byId("undecided-title").focus()
  } catch (error) { show(reference + ": " + error.message, true) }
}
const makeCard = (payout) => {
  const card = element("article", undefined, { className: "undecided" })
  card.append(element("h3", payout.reference))
  const list = element("dl")
  for (const [name, text] of Object.entries(payout.known)) {
    const item = element("div")
    item.append(element("dt", name), element("dd", text))
    list.append(item)
  }
  const steps = element("ul", undefined, { className: "code" })
  steps.append(...payout.steps.map((step) => element("li", step)))
  const details = element("details")
  details.append(element("summary", payout.steps.length + " steps"), steps)
  const reason = element("input", undefined, { className: "reason", placeholder: "reason", ariaLabel: "The reason" })
  const transaction = element("input", undefined, { className: "transaction", placeholder: "transaction", ariaLabel: "The transaction" })
  const paid = element("button", "Paid by this transaction", { type: "button", className: "paid" })
  const notPaid = element("button", "Not paid: send again", { type: "button", className: "not-paid" })
  paid.addEventListener("click", () => decide(card, payout, { paid: transaction.value.trim() }))
  notPaid.addEventListener("click", () => decide(card, payout, { notPaid: true }))
  const form = element("div", undefined, { className: "form" })
  form.append(reason, transaction, paid, notPaid)
  card.append(list, details, form)
  return card
}
/** The cards by payout and attempt: a card stays as it is while a person writes in it. */
const cards = new Map()
const drawUndecided = ({ undecided, more }) => {
  const keys = new Set(undecided.map((one) => one.reference + " " + one.attempt))
  for (const [key, card] of cards) if (!keys.has(key)) { card.remove(); cards.delete(key) }
  for (const one of undecided) {
    const key = one.reference + " " + one.attempt
    if (cards.has(key)) continue
    cards.set(key, makeCard(one))
    byId("undecided").append(cards.get(key))
  }
  byId("nothing").textContent = more > 0 ? "and " + more + " more" : undecided.length === 0 ? "Nothing is undecided." : ""
}
/** The held batches: one that is being reviewed stays as it is until it is approved, refused or gone. */
const reviews = new Map()
const toTable = ([head, ...rows]) => {
  const table = element("table")
  const thead = element("thead")
  const tbody = element("tbody")
  thead.append(row(head.map((text) => element("th", text, { scope: "col" }))))
  tbody.append(...rows.map((texts) => row(texts.map((text) => cell(text)))))
  table.append(thead, tbody)
  return table
}
const makeReview = (batch) => {
  const card = element("article", undefined, { className: "held" })
  const open = element("button", "Review", { type: "button", className: "review" })
  const shown = element("div")
  open.addEventListener("click", async () => {
    try {
      const review = await call("review?batch=" + encodeURIComponent(batch))
      const more = review.count - review.recipients.length
      const approve = element("button", "Approve " + review.payouts + " payouts", { type: "button", className: "paid approve" })
      approve.addEventListener("click", async () => {
        const by = byId("by").value.trim()
        if (by === "") {
          show("Say your name first.", true)
          return byId("by").focus()
        }
        try {
          await call("approve", { batch, digest: review.digest, by })
          show(batch + ": approved. custody payouts run sends it.", false)
          await update()
        } catch (error) {
          shown.replaceChildren()
          show(batch + ": " + error.message, true)
        }
      })
      shown.replaceChildren(
        element("p", "submitted by " + review.submitters.join(", ")),
        toTable(review.sums),
        toTable([["recipient (" + review.count + ")", "sums"], ...review.recipients, ...(more > 0 ? [["and " + more + " more", ""]] : [])]),
        approve
      )
    } catch (error) { show(batch + ": " + error.message, true) }
  })
  card.append(element("h3", batch), open, shown)
  return card
}
const drawHeld = (held) => {
  for (const [batch, card] of reviews) if (!held.includes(batch)) { card.remove(); reviews.delete(batch) }
  for (const batch of held) {
    if (reviews.has(batch)) continue
    reviews.set(batch, makeReview(batch))
    byId("held").append(reviews.get(batch))
  }
  byId("held-section").hidden = held.length === 0
}
let drawn
const update = async () => {
  const state = await call("state")
  const text = JSON.stringify(state)
  if (text === drawn) return
  drawn = text
  byId("states").textContent = state.states
  fill("batches", state.batches.map(({ batch, paid, total, states }) => {
    const bar = cell()
    bar.append(element("progress", undefined, { max: total, value: paid, ariaLabel: batch + ": " + paid + " of " + total + " paid" }))
    return row([cell(batch, "long"), cell(paid + " of " + total, "end"), cell(states), bar])
  }), "No batch yet.")
  drawHeld(state.held)
  drawUndecided(state)
}
const poll = async () => {
  try {
    await update()
    byId("state").className = "on"
    byId("state").textContent = "live"
  } catch {
    byId("state").className = "off"
    byId("state").textContent = "not connected"
  }
  setTimeout(poll, 2000)
}
byId("day").value = new Date().toISOString().slice(0, 10)
byId("compare").addEventListener("click", async () => {
  byId("tied").textContent = "comparing …"
  byId("tied").className = "soft"
  try {
    const { payouts, transactions, rows } = await call("tie-out?day=" + encodeURIComponent(byId("day").value))
    byId("tied").textContent = payouts + " payouts, " + transactions + " outgoing transactions, " + rows.length + " differences"
    byId("tied").className = rows.length === 0 ? "good" : "bad"
    fill("differences", rows.map(({ kind, reference, transactionId, ours, theirs, detail }) => row(
      [cell(reference), cell(kind), cell(detail, "detail"), cell(ours, "end"), cell(theirs, "end"), cell(transactionId)],
      kind === "paidTwice" ? "again" : ""
    )), "The ledger and the service agree.")
  } catch (error) {
    byId("tied").textContent = error.message
    byId("tied").className = "bad"
  }
})
poll()
`

const ownStyle = `
progress { width: 160px; accent-color: var(--good); }
.undecided, .held { border: 1px solid var(--warn); border-radius: 8px; padding: 10px 12px; margin-bottom: 10px; }
.undecided h3, .held h3 { color: var(--ink); font-weight: 600; margin: 0 0 6px; overflow-wrap: anywhere; }
.undecided dd { font-size: 14px; overflow-wrap: anywhere; } .undecided dl > div { max-width: 100%; }
.held > div { overflow-x: auto; }
.undecided ul { margin: 4px 0; padding-left: 18px; overflow-wrap: anywhere; }
td.detail { min-width: 160px; white-space: normal; }
#message { position: sticky; top: 0; background: var(--card); padding: 4px 0; }
.form { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 8px; }
.not-paid { border-color: var(--bad); color: var(--bad); } .paid { border-color: var(--good); color: var(--good); }
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
<section class="card wide" aria-labelledby="undecided-title">
<h2 id="undecided-title" tabindex="-1">Undecided: a person has to look at the service</h2>
<fieldset><legend>Your name</legend><input id="by" aria-label="Your name" value="${PageParts.escaped(by)}"></fieldset>
<p id="message" role="status" aria-live="polite"></p>
<div id="undecided"></div>
<p id="nothing" class="soft"></p>
</section>
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
