/** The script of the emulator's page. */
export const makeScript = (actions: string): string => `const actions = ${actions}
const maxRows = 200
const known = new Map()
let overview, funded = {}, offset = 0, isScheduled = false, isDrawing = false

const button = (label, name, key, action) => {
  const made = element("button", label, { type: "button", ariaLabel: name })
  made.dataset.key = key
  made.addEventListener("click", action)
  return made
}
const clock = (at) => new Date(at).toISOString().slice(11, 23)
const span = (millis) => {
  const seconds = Math.round(millis / 1000)
  if (seconds < 0) return "-" + span(-millis)
  if (seconds < 60) return seconds + " s"
  if (seconds < 3600) return Math.floor(seconds / 60) + " min " + (seconds % 60) + " s"
  if (seconds < 86400) return Math.floor(seconds / 3600) + " h " + Math.floor((seconds % 3600) / 60) + " min"
  return Math.floor(seconds / 86400) + " d " + Math.floor((seconds % 86400) / 3600) + " h"
}
const statusClass = (status) => status === undefined || status >= 500 ? "bad" : status >= 400 ? "warn" : "good"
const stateClass = (status) => ({ COMPLETED: "good", REJECTED: "bad", ERROR: "bad" })[status] || "warn"

const drawRequests = () => {
  isDrawing = false
  const newest = [...known.values()].sort((a, b) => b.sequence - a.sequence).slice(0, maxRows)
  for (const sequence of known.keys()) if (newest.length === maxRows && sequence < newest[maxRows - 1].sequence) known.delete(sequence)
  fill("requests", newest.map((r) => row([
    cell(r.sequence, "end soft"), cell(clock(r.at), "code soft"), cell(r.status === undefined ? "none" : r.status, statusClass(r.status)),
    cell(r.method, "code"), cell(r.path.replace(/^\\/api\\/integration/, ""), "code long path"), cell(r.operation || "", "soft"),
    cell(r.code || "", statusClass(r.status)),
    cell(r.token && r.token.generation !== undefined ? "session " + r.token.session + ", generation " + r.token.generation : ""),
    cell(r.took === undefined ? "" : r.took.toFixed(r.took < 10 ? 1 : 0) + " ms", "end soft"), cell(r.fault || "", "bad")
  ], r.operation === "authentication.refreshToken" ? "refresh" : "")), "No request yet. Point a client at the address above.")
}
const add = (received) => {
  for (const r of received) known.set(r.sequence, r)
  if (!isDrawing) { isDrawing = true; requestAnimationFrame(drawRequests) }
  refresh()
}
const drawSessions = () => {
  const now = Date.now() + offset
  fill("sessions", overview.sessions.map((s) => row([
    cell(s.session),
    s.revoked ? cell("revoked", "bad") : s.expiresAt <= now ? cell("token expired", "warn") : cell("token good for " + span(s.expiresAt - now), "good"),
    cell(s.vaultId), cell(s.generation, "generation"), cell(span(now - s.startedAt), "end"), cell(span(now - s.rotatedAt), "end")
  ])), "No session yet. A client starts one with an API key.")
}
/** The pending faults that the page shows. The script draws the list again only when they change. */
let drawnPending
const drawPending = () => {
  const text = JSON.stringify(overview.pending)
  if (text === drawnPending) return
  drawnPending = text
  const remove = ({ id, vaultId }) => id === undefined
    ? { path: "/emulator/fail-next", body: { times: 0, vaultId } }
    : { method: "DELETE", path: "/emulator/faults?id=" + id }
  const items = overview.pending.map((one) => {
    const li = element("li")
    const sentence = element("span", one.description[0].toUpperCase() + one.description.slice(1) + ".")
    const key = one.id === undefined ? "vault " + one.vaultId : "fault " + one.id
    li.append(sentence, button("Remove", "Remove: " + one.description, key, () => act({ label: "Removed", ...remove(one) })))
    return li
  })
  if (items.length > 1) {
    const li = element("li")
    li.append(button("Remove all faults", "Remove all faults", "all", () => act({ label: "Removed all faults", method: "DELETE", path: "/emulator/faults" })))
    items.push(li)
  }
  if (items.length === 0) items.push(element("li", "No fault is pending.", { className: "soft" }))
  replace(byId("pending"), items)
}
const decisions = (t) => {
  const td = cell(t.status, stateClass(t.status))
  if (t.awaitsApproval) td.append(
    " ",
    button("Approve", "Approve transaction " + t.id, "approve " + t.id, () => act({ label: "Approved " + t.id, path: "/emulator/approve", body: { transactionId: t.id } })),
    " ",
    button("Reject", "Reject transaction " + t.id, "reject " + t.id, () => act({ label: "Rejected " + t.id, path: "/emulator/reject", body: { transactionId: t.id } }))
  )
  return td
}
const draw = () => {
  const { counts, ledger, paidAgain, transactions, wallets } = overview
  for (const name of ["requests", "refreshes", "rotations"]) byId("count-" + name).textContent = counts[name].toLocaleString("en")
  byId("paid-again").hidden = paidAgain === 0
  byId("paid-again").textContent = paidAgain === 0 ? "" : (paidAgain === 1 ? "1 payment was" : paidAgain + " payments were") + " made again: the ledger shows the same note, recipient and amount before."
  drawPending()
  drawSessions()
  fill("ledger", ledger.map((w) => row([
    cell(w.sequence, "end soft"), w.time > 1 ? cell("PAID AGAIN (" + w.time + ")", "bad") : cell(""), cell(w.note, "long note"),
    cell(w.operation, "soft"), cell(w.clients, "long"), cell(w.amount, "end code"), cell(w.unit), cell(w.to, "code long soft"),
    cell(w.id, "soft"), cell(clock(w.at), "code soft")
  ], w.time > 1 ? "again" : "")), "No write yet. Refused requests are no writes.")
  fill("wallets", wallets.map((w) => row([
    cell(w.owner, "long"), cell(w.asset), cell(w.balance, "end code"), cell(w.held, "end code soft"), cell(w.network, "soft"), cell(w.transactions, "end"), cell(w.id, "soft")
  ], w.owner === funded.owner && w.asset === funded.asset ? "funded" : "")), "No wallet yet. A new client has one on each network.")
  fill("transactions", transactions.map((t) => row([
    cell(t.id, "soft"), decisions(t), cell(t.type.toLowerCase().replace("_", " ")), cell(t.note, "long note"),
    cell(t.clients, "long"), cell(t.amount, "end code"), cell(t.unit), cell(t.to, "code long soft"), cell(clock(t.at), "code soft")
  ])), "No transaction yet.")
}
const update = async () => {
  overview = await call("/emulator/overview")
  offset = overview.now - Date.now()
  draw()
}
const refresh = () => {
  if (isScheduled) return
  isScheduled = true
  setTimeout(() => { isScheduled = false; update().catch(() => {}) }, 150)
}
const showMessage = (text, name) => {
  byId("message").textContent = text
  byId("message").className = name
}
const act = async ({ label, method, path, body }, operation, fault) => {
  try {
    const sent = { ...body, ...(operation && { operation }), ...(fault && { fault }) }
    await call(path, method === undefined ? sent : undefined, method)
    showMessage(clock(Date.now() + offset) + "  " + label + (operation ? ": next call of " + (operation === "*" ? "any operation" : operation) : ": done"), "soft")
    await update()
    return true
  } catch (error) { showMessage(label + ": " + error.message, "bad") }
}
for (const action of [...actions.serviceActions, ...actions.callActions]) {
  const operation = actions.callActions.includes(action)
  byId(action.id).addEventListener("click", () => act(action, operation ? byId("operation").value : undefined))
}
byId("answer").addEventListener("click", () => {
  const { code, fault } = actions.codes[byId("code").selectedIndex]
  act({ label: "Answer " + code, path: "/emulator/faults" }, byId("operation").value, fault)
})

byId("fund").addEventListener("click", async () => {
  const [owner, asset, amount] = ["client", "asset", "amount"].map((name) => byId("fund-" + name).value)
  funded = { owner, asset }
  byId("funded").textContent = ""
  if (!await act({ label: "Fund " + owner, path: "/emulator/fund", body: { clientId: owner, assetId: asset, amount } })) return
  const wallet = overview.wallets.find((one) => one.owner === owner && one.asset === asset)
  byId("funded").textContent = owner + " has " + (wallet ? wallet.balance + " " + asset : amount + " " + asset + " more") + " now"
})

const showState = (on) => {
  byId("state").className = on ? "on" : "off"
  byId("state").textContent = on ? "live" : "not connected"
}
let newest = 0
const receive = ({ data }) => {
  const event = JSON.parse(data)
  // The emulator was started again.
  if (event.sequence <= newest) known.clear()
  newest = event.sequence
  add(event._tag === "Request" ? [event.request] : [])
}
const start = async () => {
  await update()
  newest = overview.newestEvent
  add(await call("/emulator/received?after=" + Math.max(0, overview.counts.requests - maxRows)))
  const events = new EventSource("/emulator/events?after=" + newest)
  events.addEventListener("open", () => { showState(true); refresh() })
  events.addEventListener("message", receive)
  events.addEventListener("error", () => showState(false))
}
start().catch((error) => showMessage(error.message, "bad"))
setInterval(() => { if (overview) drawSessions() }, 1000)
`
