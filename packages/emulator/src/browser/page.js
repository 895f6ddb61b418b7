/** The emulator's page in the browser: draws the overview again when it changes, and sends what a person asks for. */
import { button, byId, call, cell, element, fill, follow, input, messageOf, replace, row } from "./parts.js"

/** @typedef {import("../control/overview.ts").Overview} Overview */

/** @type {Overview | undefined} */
let overview
let funded = { owner: "", asset: "" }

/** @param {number} at */
const clock = (at) => new Date(at).toISOString().slice(11, 23)

/**
 * @param {number} millis
 * @returns {string}
 */
const span = (millis) => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 60) return `${seconds} s`
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`
}

/** @param {number | undefined} status */
const statusClass = (status) => (status === undefined || status >= 500 ? "bad" : status >= 400 ? "warn" : "good")

/** @param {string} status */
const stateClass = (status) =>
  status === "COMPLETED" ? "good" : ["REJECTED", "ERROR"].includes(status) ? "bad" : "warn"

/** @param {Overview} overview */
const drawRequests = ({ requests }) => {
  const rows = requests.map(
    ({ at, body = "", code = "", fault = "", method, operation = "", path, query, sequence, status, token, took }) =>
      row(
        [
          cell(sequence, "end soft"),
          cell(clock(at), "code soft"),
          cell(status ?? "none", statusClass(status)),
          cell(method, "code"),
          cell(path.replace(/^\/api\/integration/, "") + (query === undefined ? "" : `?${query}`), "code long path"),
          cell(body, "code long soft"),
          cell(operation, "soft"),
          cell(code, statusClass(status)),
          cell(token?.generation === undefined ? "" : `session ${token.session}, generation ${token.generation}`),
          cell(took === undefined ? "" : `${took.toFixed(took < 10 ? 1 : 0)} ms`, "end soft"),
          cell(fault, "bad")
        ],
        operation === "authentication.refreshToken" ? "refresh" : ""
      )
  )
  fill("requests", rows, "No request yet. Point a client at the address above.")
}

const drawSessions = () => {
  const now = Date.now()
  const rows = (overview?.sessions ?? []).map(
    ({ expiresAt, generation, revoked, rotatedAt, session, startedAt, vaultId }) =>
      row([
        cell(session),
        revoked
          ? cell("revoked", "bad")
          : expiresAt <= now
            ? cell("token expired", "warn")
            : cell(`token good for ${span(expiresAt - now)}`, "good"),
        cell(vaultId),
        cell(generation, "generation"),
        cell(span(now - startedAt), "end"),
        cell(span(now - rotatedAt), "end")
      ])
  )
  fill("sessions", rows, "No session yet. A client starts one with an API key.")
}

/** @param {Overview} overview */
const drawPending = ({ faults, planned }) => {
  const items = faults.map((text) => element("li", text))
  if (items.length > 0) {
    const item = element("li")
    const remove = () => act("Removed all faults", "/emulator/faults", undefined, "DELETE")
    item.append(button("Remove all faults", remove, { key: "all" }))
    items.push(item)
  }
  for (const { text, vaultId } of planned) {
    const item = element("li")
    const remove = () => act("Removed", "/emulator/fail-next", { times: 0, vaultId })
    item.append(element("span", text), button("Remove", remove, { ariaLabel: `Remove: ${text}`, key: text }))
    items.push(item)
  }
  replace(byId("pending"), items.length > 0 ? items : [element("li", "No fault is pending.", { className: "soft" })])
}

/** @param {Overview} overview */
const drawMoney = ({ ledger, paidAgain, transactions, wallets }) => {
  byId("paid-again").hidden = paidAgain === 0
  byId("paid-again").textContent =
    `Payments made again: ${paidAgain}. The ledger shows the same note, recipient and amount before.`
  const writes = ledger.map(({ amount, at, clients, id, note, operation, sequence, time, to, unit }) =>
    row(
      [
        cell(sequence, "end soft"),
        time > 1 ? cell(`PAID AGAIN (${time})`, "bad") : cell(),
        cell(note, "long note"),
        cell(operation, "soft"),
        cell(clients, "long"),
        cell(amount, "end code"),
        cell(unit),
        cell(to, "code long soft"),
        cell(id, "soft"),
        cell(clock(at), "code soft")
      ],
      time > 1 ? "again" : ""
    )
  )
  fill("ledger", writes, "No write yet. Refused requests are no writes.")
  const balances = wallets.map(({ asset, balance, held, id, network, owner, transactions }) =>
    row(
      [
        cell(owner, "long"),
        cell(asset),
        cell(balance, "end code"),
        cell(held, "end code soft"),
        cell(network, "soft"),
        cell(transactions, "end"),
        cell(id, "soft")
      ],
      owner === funded.owner && asset === funded.asset ? "funded" : ""
    )
  )
  fill("wallets", balances, "No wallet yet. A new client has one on each network.")
  const moved = transactions.map((transaction) =>
    row([
      cell(transaction.id, "soft"),
      cell(transaction.status, stateClass(transaction.status)),
      cell(transaction.type.toLowerCase().replace("_", " ")),
      cell(transaction.note, "long note"),
      cell(transaction.clients, "long"),
      cell(transaction.amount, "end code"),
      cell(transaction.unit),
      cell(transaction.to, "code long soft"),
      cell(clock(transaction.at), "code soft")
    ])
  )
  fill("transactions", moved, "No transaction yet.")
}

/** @param {Overview} found */
const draw = (found) => {
  overview = found
  const { refreshes, requests, rotations } = found.counts
  for (const [name, count] of Object.entries({ refreshes, requests, rotations })) {
    byId(`count-${name}`).textContent = count.toLocaleString("en")
  }
  drawRequests(found)
  drawSessions()
  drawPending(found)
  drawMoney(found)
}

const update = follow("/emulator/overview", 500, draw)

/**
 * Sends a control. Returns `true` if it was accepted.
 *
 * @param {string} label
 * @param {string} path
 * @param {object} [body]
 * @param {string} [method]
 */
const act = async (label, path, body, method) => {
  const [text, className] = await call(path, body, method).then(
    () => [`${clock(Date.now())}  ${label}: done`, "soft"],
    (error) => [`${label}: ${messageOf(error)}`, "bad"]
  )
  Object.assign(byId("message"), { textContent: text, className })
  await update().catch(() => {})
  return className === "soft"
}

/** @param {HTMLElement} pressed */
const actOn = ({ dataset, textContent }) => {
  const body = JSON.parse(dataset["body"] ?? "{}")
  const operation = dataset["next"] === undefined ? {} : { operation: input("operation").value }
  return act(textContent ?? "", String(dataset["path"]), { ...operation, ...body })
}
for (const one of document.querySelectorAll("button[data-path]")) {
  const pressed = /** @type {HTMLElement} */ (one)
  pressed.addEventListener("click", () => actOn(pressed))
}
byId("answer").addEventListener("click", () => {
  const body = { operation: input("operation").value, fault: JSON.parse(input("code").value) }
  return act("Answer", "/emulator/faults", body)
})
byId("fund").addEventListener("click", async () => {
  const [owner = "", asset = "", amount = ""] = ["client", "asset", "amount"].map((name) => input(`fund-${name}`).value)
  funded = { owner, asset }
  byId("funded").textContent = ""
  if (!(await act(`Fund ${owner}`, "/emulator/fund", { clientId: owner, assetId: asset, amount }))) return
  const wallet = overview?.wallets.find((one) => one.owner === owner && one.asset === asset)
  byId("funded").textContent = wallet === undefined ? "" : `${owner} has ${wallet.balance} ${asset} now`
})

setInterval(drawSessions, 1000)
