/** An operation of the API as the corpus of wire vectors has it, and the conventions of the assumed wires. */

/** A JSON value. */
export type Json = null | boolean | number | string | ReadonlyArray<Json> | { readonly [key: string]: Json }

export type Fields = Readonly<Record<string, Json>>

/** A part of a multipart body: a field, or a file. */
export type Part =
  | { readonly name: string; readonly text: string }
  | { readonly name: string; readonly filename: string; readonly contentType: string; readonly text: string }

/** What the service is to answer. */
export interface Response {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly json?: Json
  /** In place of `json`: the body as it stands. */
  readonly text?: string
}

/** A call that succeeds. */
export interface Success {
  readonly name: string
  readonly input: Fields
  readonly path: string
  readonly query?: Readonly<Record<string, string | ReadonlyArray<string>>>
  readonly json?: Fields
  readonly multipart?: ReadonlyArray<Part>
  readonly response: Response
  readonly result: Json
}

/** A call that is refused before anything is sent. */
export interface Refused {
  readonly name: string
  readonly input: Fields
  /** Where the input is wrong. */
  readonly paths: ReadonlyArray<ReadonlyArray<string | number>>
}

/** An operation of the API. */
export interface Operation {
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly safety: "read" | "keyed" | "write" | "session"
  /** Whether it names something that may not exist. */
  readonly isOfResource?: boolean
  /** The operation that shows whether it has happened. */
  readonly lookUp?: string
  /** The path that finds what the first call has created, and its payload. */
  readonly existing?: ReadonlyArray<{ readonly path: string; readonly data: Json }>
  readonly successes: readonly [Success, ...ReadonlyArray<Success>]
  readonly refused?: ReadonlyArray<Refused>
}

/** How a wire differs from the convention. */
interface Differences {
  readonly path?: string
  readonly json?: Fields
  readonly multipart?: ReadonlyArray<Part>
  readonly response?: Response
  readonly result?: Json
  readonly hasBody?: false
}

/** A success, before its operation is known. */
export type Row = (operation: Pick<Operation, "method" | "path">, isForm: boolean) => Success

const textOf = (value: Json): string => (typeof value === "string" ? value : JSON.stringify(value))

const partOf = ([name, value]: readonly [string, Json]): Part => {
  const file = value as { readonly name: string; readonly contentType: string; readonly text: string }
  return typeof value === "object"
    ? { name, filename: file.name, contentType: file.contentType, text: file.text }
    : { name, text: textOf(value) }
}

/** The names in a query that are spelled differently on the wire. */
const spelled: Readonly<Record<string, string>> = { sortKey: "sort_key" }

/**
 * A success by the convention: the fields that the path does not name go, as they are and in their order, into the query
 * of a GET and into the body of anything else; the payload of the envelope is the result. A POST creates.
 */
export const row =
  (name: string, input: Fields, data: Json, differences: Differences = {}): Row =>
  ({ method, path }, isForm) => {
    const { hasBody = true, ...different } = differences
    const rest = Object.entries(input).filter(([field]) => !path.includes(`:${field}`))
    const status = method === "POST" ? 201 : 200
    const message = method === "POST" ? "Created" : "OK"
    return {
      name,
      input,
      path: path.replaceAll(/:(\w+)/g, (_, field: string) => encodeURIComponent(textOf(input[field]!))),
      ...(method === "GET"
        ? {
            query: Object.fromEntries(
              rest.map(([field, value]) => [
                spelled[field] ?? field,
                Array.isArray(value) ? value.map(textOf) : textOf(value)
              ])
            )
          }
        : isForm
          ? { multipart: rest.map(partOf) }
          : hasBody
            ? { json: Object.fromEntries(rest) }
            : {}),
      response: { status, json: { message, data, status } },
      result: data,
      ...different
    }
  }

/** An answer with this body, as it stands. */
export const raw = (status: number, text: string): Response => ({
  status,
  headers: { "content-type": "application/json" },
  text
})

type Rows = readonly [Row, ...ReadonlyArray<Row>]

interface More {
  readonly refused?: ReadonlyArray<Refused>
  readonly lookUp?: string
  readonly existing?: NonNullable<Operation["existing"]>
  /** Whether its body is multipart. */
  readonly isForm?: boolean
}

export const operation = (
  name: string,
  route: string,
  safety: Operation["safety"],
  rows: Rows,
  { isForm = false, ...more }: More = {}
): Operation => {
  const [method = "", path = ""] = route.split(" ")
  const [first, ...others] = rows.map((of) => of({ method, path }, isForm))
  const isOfResource = safety === "write" || (safety === "read" && path.includes(":"))
  return { operation: name, method, path, safety, isOfResource, successes: [first!, ...others], ...more }
}

export const read = (name: string, path: string, rows: Rows, refused: ReadonlyArray<Refused> = []): Operation =>
  operation(name, `GET ${path}`, "read", rows, { refused })

export const write = (
  name: string,
  route: string,
  lookUp: string | undefined,
  rows: Rows,
  more: More = {}
): Operation => operation(name, route, "write", rows, lookUp === undefined ? more : { lookUp, ...more })

/** What every list can be asked for, and what the service may say of the whole. */
const everything = { page: 2, limit: 25, sortKey: "name", order: "desc", search: "a b&c=d/é" }
const counts = { totalItems: 26, totalPages: 2, itemsPerPage: 25, currentPage: 2, hasPreviousPage: true }

const refusedLists: ReadonlyArray<Refused> = [
  { name: "a page is counted from 1", input: { page: 0 }, paths: [["page"]] },
  { name: "a page has at least one item", input: { limit: 0 }, paths: [["limit"]] },
  { name: "an order is asc or desc", input: { order: "up" }, paths: [["order"]] },
  { name: "only what is declared is sent", input: { cursor: "abc" }, paths: [["cursor"]] }
]

/**
 * A list: with nothing asked and no word of the whole, with everything asked and told, as a bare list with its counts
 * beside it, and by filters.
 */
export const list = (
  name: string,
  path: string,
  things: string,
  item: Json,
  options: { readonly input?: Fields; readonly filters?: Fields } = {}
): Operation => {
  const { filters, input = {} } = options
  const meta = { ...counts, hasNextPage: false }
  const told = { ...meta, itemsPerPage: "25", totalPages: "2" }
  const rows: Rows = [
    row(`lists ${things}, and the service says nothing of the whole`, input, { items: [item] }),
    row(
      `lists one page of ${things} as it is asked for, with counts as numbers and as digits`,
      { ...input, ...everything },
      { items: [], ...told },
      { result: { items: [], meta } }
    ),
    row(`lists ${things} that are data itself, with counts beside it`, input, [item], {
      response: { status: 200, json: { message: "OK", data: [item], status: 200, meta: told } },
      result: { items: [item], meta }
    })
  ]
  const filtered = filters === undefined ? [] : [row("is filtered by each of its fields", filters, { items: [item] })]
  return read(name, path, [...rows, ...filtered], path.includes(":") ? [] : refusedLists)
}

/** What no operation that moves an amount takes. */
export const refusedAmounts = (input: Fields): ReadonlyArray<Refused> => [
  { name: "nothing cannot be moved", input: { ...input, amount: "0" }, paths: [["amount"]] },
  { name: "less than nothing cannot be moved", input: { ...input, amount: "-0.01" }, paths: [["amount"]] }
]
