/** The page of the ledger in the browser: draws its state again when it changes, and sends what a person decides. */
import {
  agreed,
  button,
  byId,
  call,
  cell,
  element,
  facts,
  fill,
  follow,
  form,
  input,
  keeper,
  lines,
  messageOf,
  replace,
  row,
  say
} from "./parts.js"
import { visible } from "./visible.js"

/** @typedef {import("../payouts/pageState.ts").PageState} PageState */
/** @typedef {PageState["toDecide"][number]} ToDecide */

/**
 * @param {string} text
 * @param {boolean} [isBad]
 */
const show = (text, isBad = false) => say("message", text, isBad ? "wide bad" : "wide good")

/**
 * The person's name and the texts of some inputs of a card, or undefined after it has asked for the first that is empty.
 *
 * @param {HTMLElement} card
 * @param {ReadonlyArray<string>} selectors
 */
const read = (card, ...selectors) => {
  const inputs = [input("by"), ...selectors.flatMap((selector) => [...card.querySelectorAll(selector)])].map(
    (one) => /** @type {HTMLInputElement} */ (one)
  )
  const empty = inputs.find(({ value }) => value.trim() === "")
  if (empty === undefined) return inputs.map(({ value }) => value.trim())
  show(`Say ${empty.ariaLabel?.toLowerCase()} first.`, true)
  empty.focus()
  return undefined
}

/**
 * Sends what a person has said about a payout or a batch. Returns false if it is refused.
 *
 * @param {string} name
 * @param {string} path
 * @param {object} body
 * @param {string} done
 */
const tell = async (name, path, body, done) => {
  try {
    await call(path, body)
    show(`${name}: ${done}`)
    await update()
    return true
  } catch (error) {
    show(`${name}: ${messageOf(error)}`, true)
    return false
  }
}

/**
 * @param {HTMLElement} card
 * @param {ToDecide} payout
 * @param {boolean} isPaid
 */
const decide = async (card, { attempt, reference, state, transaction }, isPaid) => {
  const given = read(card, ".reason", ...(isPaid ? [".transaction"] : []))
  if (given === undefined) return
  const [by, reason, paid] = given
  const doubt =
    state === "mismatched"
      ? `The service shows transaction ${transaction} for it. Is that certainly not its payment?`
      : "Does the service certainly not have it?"
  if (!isPaid && !agreed(`${reference} will be sent AGAIN. ${doubt}`)) return
  const outcome = isPaid ? { paid } : { notPaid: true }
  const done = isPaid ? `paid by ${paid}.` : "not paid. custody payouts run sends it again."
  if (!(await tell(reference, "decide", { reference, attempt, outcome, by, reason }, done))) return
  const next = document.querySelector("#undecided .reason") ?? byId("undecided-title")
  ;/** @type {HTMLElement} */ (next).focus()
}

/**
 * @param {string} name
 * @param {string} [value]
 */
const field = (name, value = "") =>
  element("input", undefined, { className: name, placeholder: name, ariaLabel: `The ${name}`, value })

/** @type {(payouts: ReadonlyArray<ToDecide>) => void} */
const keepUndecided = keeper(
  "undecided",
  ({ attempt, reference, state }) => `${reference} ${attempt} ${state}`,
  (payout) => {
    const { isUnsent, known, reference, state, transaction } = payout
    const card = element("article", undefined, { className: "undecided" })
    const steps = element("ul", undefined, { className: "code" })
    steps.append(...payout.steps.map((step) => element("li", step)))
    const details = element("details")
    details.append(element("summary", `${payout.steps.length} steps`), steps)
    const paid = button("Paid by this transaction", () => decide(card, payout, true), { className: "paid" })
    const notPaid = button("Not paid: send again", () => decide(card, payout, false), { className: "not-paid" })
    const title = state === "undecided" ? reference : `${reference}: ${isUnsent ? "paid before" : state}`
    card.append(
      element("h3", title),
      facts(known),
      details,
      form(field("reason"), field("transaction", transaction), paid, ...(isUnsent ? [] : [notPaid]))
    )
    return card
  }
)

/** @param {PageState} state */
const drawUndecided = ({ more, toDecide }) => {
  keepUndecided(toDecide)
  const others = more > 0 ? `and ${more} more: custody payouts decide --batch decides about all of a batch` : ""
  byId("nothing").textContent = toDecide.length === 0 && more <= 0 ? "Nothing is undecided." : others
}

/** @type {(alarms: PageState["alarms"]) => void} */
const keepAlarms = keeper(
  "alarms",
  ({ text }) => text,
  ({ detail, isClash, reference, text }) => {
    const item = element("li", text)
    if (!isClash) return item
    const acknowledge = () => {
      const given = read(item, ".reason")
      if (given === undefined) return undefined
      const [by, reason] = given
      return tell(reference, "acknowledge", { reference, detail, by, reason }, "acknowledged.")
    }
    item.append(form(field("reason"), button("Acknowledge", acknowledge, { className: "acknowledge" })))
    return item
  }
)

/** @param {PageState} state */
const drawStop = ({ alarms, reading, waits }) => {
  keepAlarms(alarms)
  byId("stopped").hidden = alarms.length === 0
  replace(byId("waits"), [
    ...waits.map((text) => element("li", text, { className: "warn" })),
    ...reading.map((text) => element("li", text, { className: "soft" }))
  ])
}

/**
 * @param {string} title
 * @param {string} text
 */
const side = (title, text) => {
  const made = element("div")
  made.append(element("h3", title), lines(text))
  return made
}

/** @type {(first: PageState["first"]) => void} */
const keepFirst = keeper("first", JSON.stringify, ({ answer, key, known, request, title }) => {
  const card = element("article", undefined, { className: "first" })
  const sides = element("div", undefined, { className: "sides" })
  sides.append(
    side("The request as it was sent", request),
    side("The transaction as the service gave it, read by no contract", answer)
  )
  const press = () => {
    const given = read(card)
    if (given === undefined || !agreed(byId("question").textContent ?? "")) return undefined
    const done = `confirmed. custody payouts run sends the others of ${key.assetId}.`
    return tell(key.reference, "confirm", { ...key, by: given[0] }, done)
  }
  const yes = button("Confirm: both say what was ordered", press, { className: "paid confirm" })
  card.append(element("h3", title), facts(known), sides, form(yes))
  return card
})

/** @param {PageState} state */
const drawUnknown = ({ moreUnknown, unknown }) => {
  const more = moreUnknown > 0 ? [row([cell(`and ${moreUnknown} more`)])] : []
  const rows = unknown.map(({ reference, sent, sum, until }) =>
    row([cell(reference, "long"), cell(until), cell(sum), cell(sent)])
  )
  fill("unknown", [...rows, ...more], "")
  byId("unknown-section").hidden = unknown.length === 0
}

/** @param {ReadonlyArray<ReadonlyArray<string>>} rows */
const toTable = ([head = [], ...rows]) => {
  const table = element("table")
  const thead = element("thead")
  const tbody = element("tbody")
  thead.append(row(head.map((text) => element("th", text, { scope: "col" }))))
  tbody.append(...rows.map((texts) => row(texts.map((text) => cell(text)))))
  table.append(thead, tbody)
  return table
}

/**
 * A batch that is being reviewed stays as it is until it is approved, refused or gone.
 *
 * @type {(batches: ReadonlyArray<string>) => void}
 */
const keepHeld = keeper(
  "held",
  (batch) => batch,
  (batch) => {
    const card = element("article", undefined, { className: "held" })
    const shown = element("div")
    const open = async () => {
      /** @type {import("../payouts/serve.ts").ShownReview} */
      const { count, digest, payouts, recipients, submitters, sums } = await call(
        `review?batch=${encodeURIComponent(batch)}`
      )
      const press = async () => {
        const given = read(card)
        if (given === undefined) return
        const body = { batch, digest, by: given[0] }
        if (!(await tell(batch, "approve", body, "approved. custody payouts run sends it."))) shown.replaceChildren()
      }
      const more = count - recipients.length
      shown.replaceChildren(
        element("p", `submitted by ${submitters.join(", ")}`),
        toTable(sums),
        toTable([[`recipient (${count})`, "sums"], ...recipients, ...(more > 0 ? [[`and ${more} more`, ""]] : [])]),
        button(`Approve ${payouts} payouts`, press, { className: "paid approve" })
      )
    }
    const review = () => open().catch((error) => show(`${batch}: ${messageOf(error)}`, true))
    card.append(element("h3", batch), button("Review", review, { className: "review" }), shown)
    return card
  }
)

/** @param {PageState} state */
const draw = (state) => {
  say("states", state.states)
  const batches = state.batches.map(({ batch, paid, states, total }) => {
    const progress = cell()
    const ariaLabel = visible(`${batch}: ${paid} of ${total} paid`)
    progress.append(element("progress", undefined, { max: total, value: paid, ariaLabel }))
    return row([cell(batch, "long"), cell(`${paid} of ${total}`, "end"), cell(states), progress])
  })
  fill("batches", batches, "No batch yet.")
  drawStop(state)
  keepFirst(state.first)
  byId("first-section").hidden = state.first.length === 0
  drawUndecided(state)
  drawUnknown(state)
  keepHeld(state.held)
  byId("held-section").hidden = state.held.length === 0
}

const update = follow("state", 2000, draw)

/** @typedef {import("@effect-custody/ledger/TieOut").Row} Difference */

const compare = async () => {
  const { payouts, rows, transactions } = await call(`tie-out?day=${encodeURIComponent(input("day").value)}`)
  const differences = /** @type {ReadonlyArray<Difference>} */ (rows).map(
    ({ detail, kind, ours, reference, theirs, transactionId }) =>
      row(
        [
          cell(reference),
          cell(kind),
          cell(detail, "detail"),
          cell(ours, "end"),
          cell(theirs, "end"),
          cell(transactionId)
        ],
        kind === "paidTwice" ? "again" : ""
      )
  )
  fill("differences", differences, "The ledger and the service agree.")
  const text = `${payouts} payouts, ${transactions} outgoing transactions, ${differences.length} differences`
  return { textContent: text, className: differences.length === 0 ? "good" : "bad" }
}
input("day").value = new Date().toISOString().slice(0, 10)
byId("compare").addEventListener("click", async () => {
  Object.assign(byId("tied"), { textContent: "comparing …", className: "soft" })
  const outcome = await compare().catch((error) => ({ textContent: messageOf(error), className: "bad" }))
  Object.assign(byId("tied"), outcome)
})
