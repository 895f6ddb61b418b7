/** The script of the page of the ledger, after the functions that all pages share. */
export const script = `const show = (text, bad) => {
  byId("message").textContent = text
  byId("message").className = bad ? "wide bad" : "wide good"
}
/** The person's name and the texts of some inputs of a card, or undefined after it has asked for the first that is empty. */
const read = (card, ...selectors) => {
  const inputs = [byId("by"), ...selectors.map((selector) => card.querySelector(selector))]
  const empty = inputs.find((input) => input.value.trim() === "")
  if (empty === undefined) return inputs.map((input) => input.value.trim())
  show("Say " + empty.ariaLabel.toLowerCase() + " first.", true)
  empty.focus()
}
/** Sends what a person has said about a payout or a batch. Returns false if it is refused. */
const say = async (name, path, body, done) => {
  try {
    await call(path, body)
    show(name + ": " + done, false)
    await update()
    return true
  } catch (error) {
    show(name + ": " + error.message, true)
    return false
  }
}
const decide = async (card, { reference, attempt, state, transaction }, isPaid) => {
  const given = read(card, ".reason", ...(isPaid ? [".transaction"] : []))
  if (given === undefined) return
  const [by, reason, paid] = given
  const doubt = state === "mismatched" ? "The service shows transaction " + transaction + " for it. Is that certainly not its payment?" : "Does the service certainly not have it?"
  if (!isPaid && !confirm(reference + " will be sent AGAIN. " + doubt)) return
  const outcome = isPaid ? { paid } : { notPaid: true }
  const done = isPaid ? "paid by " + paid + "." : "not paid. custody payouts run sends it again."
  if (!(await say(reference, "decide", { reference, attempt, outcome, by, reason }, done))) return
  const next = document.querySelector("#undecided .reason")
  if (next) next.focus()
  else byId("undecided-title").focus()
}
const field = (name, value = "") => element("input", undefined, { className: name, placeholder: name, ariaLabel: "The " + name, value })
const button = (text, name, press) => {
  const made = element("button", text, { type: "button", className: name })
  made.addEventListener("click", press)
  return made
}
const form = (...parts) => {
  const made = element("div", undefined, { className: "form" })
  made.append(...parts)
  return made
}
const facts = (known) => {
  const list = element("dl")
  for (const [name, text] of Object.entries(known)) {
    const item = element("div")
    item.append(element("dt", name), element("dd", text))
    list.append(item)
  }
  return list
}
/** Shows a card for each item. A card stays as it is while a person writes in it. */
const keep = (id, cards, items, keyOf, make) => {
  const keys = new Set(items.map(keyOf))
  for (const [key, card] of cards) if (!keys.has(key)) { card.remove(); cards.delete(key) }
  for (const item of items) {
    const key = keyOf(item)
    if (cards.has(key)) continue
    cards.set(key, make(item))
    byId(id).append(cards.get(key))
  }
}
const makeCard = (payout) => {
  const card = element("article", undefined, { className: "undecided" })
  const steps = element("ul", undefined, { className: "code" })
  steps.append(...payout.steps.map((step) => element("li", step)))
  const details = element("details")
  details.append(element("summary", payout.steps.length + " steps"), steps)
  const paid = button("Paid by this transaction", "paid", () => decide(card, payout, true))
  const notPaid = button("Not paid: send again", "not-paid", () => decide(card, payout, false))
  card.append(
    element("h3", payout.reference + (payout.state === "undecided" ? "" : ": " + (payout.isUnsent ? "paid before" : payout.state))),
    facts(payout.known),
    details,
    form(field("reason"), field("transaction", payout.transaction), paid, ...(payout.isUnsent ? [] : [notPaid]))
  )
  return card
}
const cards = new Map()
const drawUndecided = ({ toDecide, more }) => {
  keep("undecided", cards, toDecide, ({ reference, attempt, state }) => reference + " " + attempt + " " + state, makeCard)
  byId("nothing").textContent = more > 0 ? "and " + more + " more: custody payouts decide --batch decides about all of a batch" : toDecide.length === 0 ? "Nothing is undecided." : ""
}
const makeAlarm = ({ reference, detail, text, isClash }) => {
  const item = element("li", text)
  if (!isClash) return item
  item.append(form(field("reason"), button("Acknowledge", "acknowledge", () => {
    const given = read(item, ".reason")
    if (given === undefined) return
    const [by, reason] = given
    return say(reference, "acknowledge", { reference, detail, by, reason }, "acknowledged.")
  })))
  return item
}
const alarms = new Map()
const drawStop = ({ alarms: found, waits, reading }) => {
  keep("alarms", alarms, found, ({ text }) => text, makeAlarm)
  byId("stopped").hidden = found.length === 0
  replace(byId("waits"), [...waits.map((text) => element("li", text, { className: "warn" })), ...reading.map((text) => element("li", text, { className: "soft" }))])
}
const side = (title, text) => {
  const made = element("div")
  made.append(element("h3", title), element("pre", text, { tabIndex: 0 }))
  return made
}
const makeFirst = ({ key, title, known, request, answer }) => {
  const card = element("article", undefined, { className: "first" })
  const sides = element("div", undefined, { className: "sides" })
  sides.append(side("The request as it was sent", request), side("The transaction as the service gave it, read by no contract", answer))
  const yes = button("Confirm: both say what was ordered", "paid confirm", () => {
    const given = read(card)
    if (given === undefined || !confirm(byId("question").textContent)) return
    return say(key.reference, "confirm", { ...key, by: given[0] }, "confirmed. custody payouts run sends the others of " + key.assetId + ".")
  })
  card.append(element("h3", title), facts(known), sides, form(yes))
  return card
}
const firsts = new Map()
const drawFirst = (first) => {
  keep("first", firsts, first, JSON.stringify, makeFirst)
  byId("first-section").hidden = first.length === 0
}
const drawUnknown = ({ unknown, moreUnknown }) => {
  fill("unknown", [
    ...unknown.map(({ reference, sum, sent, until }) => row([cell(reference, "long"), cell(until), cell(sum), cell(sent)])),
    ...(moreUnknown > 0 ? [row([cell("and " + moreUnknown + " more")])] : [])
  ], "")
  byId("unknown-section").hidden = unknown.length === 0
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
  const shown = element("div")
  const open = button("Review", "review", async () => {
    try {
      const review = await call("review?batch=" + encodeURIComponent(batch))
      const more = review.count - review.recipients.length
      const approve = button("Approve " + review.payouts + " payouts", "paid approve", async () => {
        const given = read(card)
        if (given === undefined) return
        const body = { batch, digest: review.digest, by: given[0] }
        if (!(await say(batch, "approve", body, "approved. custody payouts run sends it."))) shown.replaceChildren()
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
  keep("held", reviews, held, (batch) => batch, makeReview)
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
  drawStop(state)
  drawFirst(state.first)
  drawUndecided(state)
  drawUnknown(state)
  drawHeld(state.held)
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
