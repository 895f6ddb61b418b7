/** What the pages share in the browser. Data enters a page as visible text only, never as HTML. */
import { visible } from "./visible.js"

/**
 * An element of the document. It must exist.
 *
 * @param {string} id
 */
export const byId = (id) => /** @type {HTMLElement} */ (document.getElementById(id))

/** @param {string} id */
export const input = (id) => /** @type {HTMLInputElement} */ (byId(id))

/**
 * @template {keyof HTMLElementTagNameMap} K
 * @param {K} name
 * @param {string | number} [text]
 * @param {Partial<HTMLElementTagNameMap[K]>} [properties]
 * @returns {HTMLElementTagNameMap[K]}
 */
export const element = (name, text, properties) =>
  Object.assign(
    document.createElement(name),
    text === undefined ? {} : { textContent: visible(String(text)) },
    properties
  )

/**
 * A text that may have several lines, such as a request.
 *
 * @param {string} text
 */
export const lines = (text) =>
  element("pre", undefined, { textContent: text.split(/\r?\n/).map(visible).join("\n"), tabIndex: 0 })

/**
 * Says something in an element of the document.
 *
 * @param {string} id
 * @param {string} text
 * @param {string} [className]
 */
export const say = (id, text, className) =>
  Object.assign(byId(id), { textContent: visible(text), ...(className === undefined ? {} : { className }) })

/**
 * Asks, and says whether the person agrees.
 *
 * @param {string} question
 */
export const agreed = (question) => confirm(visible(question))

/**
 * @param {string | number | null} [text]
 * @param {string} [className]
 */
export const cell = (text, className = "") =>
  element("td", text ?? "", { className, title: className.includes("long") ? visible(String(text ?? "")) : "" })

/**
 * @param {ReadonlyArray<HTMLElement>} cells
 * @param {string} [className]
 */
export const row = (cells, className = "") => {
  const made = element("tr", undefined, { className })
  made.append(...cells)
  return made
}

/**
 * @param {string} text
 * @param {() => unknown} press
 * @param {{ readonly className?: string, readonly ariaLabel?: string, readonly key?: string }} [properties]
 */
export const button = (text, press, { key, ...properties } = {}) => {
  const made = element("button", text, { type: "button", ...properties })
  if (key !== undefined) made.dataset["key"] = key
  made.addEventListener("click", press)
  return made
}

/**
 * Replaces the content of an element, and keeps the keyboard focus in it, or moves it to the title of the card.
 *
 * @param {HTMLElement} parent
 * @param {ReadonlyArray<HTMLElement>} children
 */
export const replace = (parent, children) => {
  const active = /** @type {HTMLElement | null} */ (document.activeElement)
  const key = parent.contains(active) ? active?.dataset["key"] : undefined
  parent.replaceChildren(...children)
  if (key === undefined) return
  const buttons = [...parent.querySelectorAll("button")]
  const next = buttons.find((one) => one.dataset["key"] === key) ?? buttons[0]
  const title = parent.closest("section")?.querySelector("h2")
  if (next === undefined && title) title.tabIndex = -1
  ;(next ?? title)?.focus()
}

/**
 * Fills the body of a table. Without rows, it shows a sentence.
 *
 * @param {string} id
 * @param {ReadonlyArray<HTMLElement>} rows
 * @param {string} nothing
 */
export const fill = (id, rows, nothing) => {
  const body = byId(id)
  const columns = body.parentElement?.querySelectorAll("th").length ?? 1
  const empty = Object.assign(cell(nothing), { colSpan: columns })
  replace(body, rows.length === 0 ? [row([empty], "empty")] : rows)
}

/** @param {ReadonlyArray<HTMLElement>} parts */
export const form = (...parts) => {
  const made = element("div", undefined, { className: "form" })
  made.append(...parts)
  return made
}

/** @param {Readonly<Record<string, string>>} known */
export const facts = (known) => {
  const list = element("dl")
  for (const [name, text] of Object.entries(known)) {
    const item = element("div")
    item.append(element("dt", name), element("dd", text))
    list.append(item)
  }
  return list
}

/**
 * Makes what keeps a card for each item. A card stays as it is while a person writes in it.
 *
 * @template A
 * @param {string} id
 * @param {(item: A) => string} keyOf
 * @param {(item: A) => HTMLElement} make
 */
export const keeper = (id, keyOf, make) => {
  /** @type {Map<string, HTMLElement>} */
  const cards = new Map()
  return (/** @type {ReadonlyArray<A>} */ items) => {
    const keys = new Set(items.map(keyOf))
    for (const [key, card] of cards) {
      if (keys.has(key)) continue
      card.remove()
      cards.delete(key)
    }
    for (const item of items) {
      const key = keyOf(item)
      if (cards.has(key)) continue
      const card = make(item)
      cards.set(key, card)
      byId(id).append(card)
    }
  }
}

/**
 * Sends a request to the page's server, and returns the JSON of its answer. Fails with the message of a refusal.
 *
 * @param {string} path
 * @param {unknown} [body]
 * @param {string} [method]
 */
export const call = async (path, body, method = body === undefined ? "GET" : "POST") => {
  const sent = body === undefined ? {} : { body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const response = await fetch(path, { method, ...sent })
  const text = await response.text()
  if (!response.ok) throw new Error(text === "" ? String(response.status) : JSON.parse(text).message)
  return text === "" ? undefined : JSON.parse(text)
}

/** @param {unknown} error */
export const messageOf = (error) => visible(error instanceof Error ? error.message : String(error))

/**
 * Draws the state of the server, and draws it again when it changes. The page's mark says whether the server answers.
 *
 * @template S
 * @param {string} path
 * @param {number} pause In milliseconds.
 * @param {(state: S) => void} draw
 */
export const follow = (path, pause, draw) => {
  let drawn = ""
  const update = async () => {
    const state = await call(path)
    const text = JSON.stringify(state)
    if (text !== drawn) draw(state)
    drawn = text
  }
  const poll = async () => {
    const isLive = await update().then(
      () => true,
      () => false
    )
    byId("state").className = isLive ? "on" : "off"
    byId("state").textContent = isLive ? "live" : "not connected"
    setTimeout(poll, pause)
  }
  void poll()
  return update
}
