/** Finds the records of an answer. Pure. */
import type { ApiOperation, Field } from "../document/model.ts"

/** The records of an answer: their fields, relative to each of them. */
export interface Records {
  readonly isList: boolean
  /** The dotted path to the record or the list; `null`: the answer itself. */
  readonly payload: string | null
  /** The dotted path within each record to its fields, if they are not directly in it. */
  readonly record: string | undefined
  readonly fields: ReadonlyArray<Field>
}

/** Names that wrap a payload, and names that describe it. */
const wrappers = new Set(["data", "result", "results", "items", "payload", "response", "content", "records", "body"])
const within = "attributes"

const isDirect = (path: string): boolean => !path.includes("[]")

/** The fields below a place, relative to it. */
const below = (fields: ReadonlyArray<Field>, prefix: string): ReadonlyArray<Field> =>
  prefix === ""
    ? fields
    : fields
        .filter(({ path }) => path.startsWith(`${prefix}.`))
        .map((field) => ({ ...field, path: field.path.slice(prefix.length + 1) }))

const opened = (isList: boolean, payload: string | null, fields: ReadonlyArray<Field>): Records => {
  const inner = below(fields, within)
  return inner.length > 0
    ? {
        isList,
        payload,
        record: within,
        fields: [...fields.filter(({ path }) => isDirect(path) && !path.includes(".") && path !== within), ...inner]
      }
    : { isList, payload, record: undefined, fields }
}

/** Where the records are: the first list that a wrapper holds, or what the innermost wrapper holds, or the answer itself. */
export const recordsOf = ({ answer }: Pick<ApiOperation, "answer">): Records | undefined => {
  if (known.has(answer)) return known.get(answer)
  const found = search(answer)
  known.set(answer, found)
  return found
}

/** A cache, because an answer is compared with those of all our operations. */
const known = new WeakMap<ReadonlyArray<Field>, Records | undefined>()

const search = (answer: ReadonlyArray<Field>): Records | undefined => {
  if (answer.length === 0) return undefined
  if (answer.some(({ path, type }) => path === "" && type === "array")) {
    return opened(
      true,
      null,
      below(
        answer.filter(({ path }) => path.startsWith("[]")),
        "[]"
      )
    )
  }
  let prefix = ""
  for (;;) {
    const here = below(answer, prefix).filter(({ path }) => isDirect(path) && !path.includes("."))
    const path = (name: string) => (prefix === "" ? name : `${prefix}.${name}`)
    const lists = here.filter(({ type }) => type === "array")
    const list =
      lists.find(({ path: name }) => wrappers.has(name)) ??
      (here.length <= 3 && lists.length === 1 ? lists[0] : undefined)
    if (list !== undefined) return opened(true, path(list.path), below(answer, `${path(list.path)}[]`))
    const wrapper = here.find(({ path: name, type }) => wrappers.has(name) && type !== "array")
    if (wrapper === undefined) return opened(false, prefix === "" ? null : prefix, below(answer, prefix))
    if (wrapper.type !== "object") return { isList: false, payload: path(wrapper.path), record: undefined, fields: [] }
    prefix = path(wrapper.path)
  }
}
