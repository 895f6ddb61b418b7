/** Words of names, paths and sentences, made comparable. */

/** Words that mean the same here. The first stands for all. */
const same: ReadonlyArray<ReadonlyArray<string>> = [
  ["client", "customer", "account", "user", "holder", "member", "party"],
  ["send", "payout", "withdrawal", "withdraw", "disbursement", "disburse", "outgoing"],
  ["transfer", "move", "internal"],
  ["transaction", "tx", "movement", "activity", "history"],
  ["order", "invoice", "checkout"],
  ["fiat", "onramp", "topup", "bank"],
  ["refund", "reimburse", "reimbursement"],
  ["asset", "coin", "cryptocurrency"],
  ["price", "rate", "quote", "ticker"],
  ["nft", "collectible", "nonfungible"],
  ["network", "chain", "blockchain"],
  ["mint", "issue", "issuance"],
  ["burn", "redeem", "destroy", "redemption"],
  ["balance", "holding"],
  ["configuration", "config"],
  ["setting", "preference"],
  ["policy", "rule"],
  ["create", "new", "add", "register", "open"],
  ["cancel", "void", "abort", "cancellation"],
  ["update", "edit", "modify", "replace", "change"],
  ["list", "all", "search", "query", "browse", "find"],
  ["get", "retrieve", "fetch", "show", "read", "detail", "view"],
  ["status", "state"],
  ["count", "number", "total"],
  ["many", "bulk", "batch", "multiple", "several"],
  ["metadata", "meta", "attribute"],
  ["select", "choose", "pick", "assign"],
  ["vault", "treasury", "workspace"],
  ["generate", "issue", "exchange", "login"],
  ["authentication", "auth", "session"]
]

const canonical = new Map(same.flatMap((words) => words.map((word) => [word, words[0]!] as const)).toReversed())

/** Words that say nothing of what an operation is about. */
const empty = new Set([
  "id",
  "a",
  "an",
  "the",
  "of",
  "for",
  "to",
  "by",
  "with",
  "and",
  "or",
  "in",
  "on",
  "one",
  "api",
  "it",
  "its",
  "from",
  "given"
])

export const singular = (word: string): string => {
  if (word.length > 3 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") && !word.endsWith("us")
    ? word.slice(0, -1)
    : word
}

/** The words of a text in lower case: `clientId`, `client_id` and `Client ID` are the same. */
export const split = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** The words of a text that say what it is about, each as the one that stands for its kind. */
export const meaning = (text: string): ReadonlyArray<string> =>
  split(text)
    .map(singular)
    .filter((word) => !empty.has(word))
    .map((word) => canonical.get(word) ?? word)

/** Caches the results of a function of texts: the same names are compared thousands of times. */
const remembered = (of: (text: string) => string): ((text: string) => string) => {
  const known = new Map<string, string>()
  return (text) => {
    const before = known.get(text)
    if (before !== undefined) return before
    const value = of(text)
    known.set(text, value)
    return value
  }
}

/** A name as a key: the same for every spelling. */
export const keyOf = remembered((name) => split(name).join(" "))

/** The same, with words that mean the same. */
export const looseKeyOf = remembered((name) =>
  split(name)
    .map((word) => canonical.get(singular(word)) ?? singular(word))
    .join(" ")
)
