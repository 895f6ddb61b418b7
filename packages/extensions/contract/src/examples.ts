/** The examples of adapters: whether an adapter reproduces them, and what it makes of them for its fingerprint. Pure. */
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Operation from "@effect-custody/core/siblings/Operation"
import type { Received, Success, Wire, WireInput } from "@effect-custody/core/siblings/Wires"
import * as Equal from "effect/Equal"
import * as Formatter from "effect/Formatter"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Adapter, Example, Service } from "./model.ts"
import { address, bodyFields, bodyText } from "./wire.ts"

/** What an adapter makes of an example. */
interface Made {
  readonly request: Result.Result<HttpClientRequest.HttpClientRequest, string>
  readonly answer: Result.Result<Success & { readonly result: unknown }, string>
}

const json = (given: unknown): unknown => (typeof given === "string" ? ExactJson.parse(given) : given)

const receivedOf = ({ operation: { status } }: Adapter, example: Example): Received => ({
  status: example.status ?? status,
  body: json(example.example),
  headers: Object.fromEntries(Object.entries(example.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value]))
})

const madeOf = (adapter: Adapter, wire: Wire, example: Example): Made => {
  const codec = Operation.codec(adapter.operation)
  const prepared = Result.mapError(codec.prepare(example.input), ({ message }) => message)
  const input = Result.map(prepared, ({ encoded }): WireInput => ({ encoded, cursor: undefined }))
  return {
    request: Result.flatMap(input, (input) =>
      Result.mapError(wire.request(input), (issues) =>
        issues.map(({ message, path }) => [...path, message].join(": ")).join("; ")
      )
    ),
    answer: Result.gen(function* () {
      const read = wire.answer(receivedOf(adapter, example), Result.getOrUndefined(input))
      if (read === undefined) return yield* Result.fail("its status is no success")
      const success = yield* read
      const result = yield* codec.decode(success, wire.place)
      return { ...success, result }
    })
  }
}

const lineOf = (request: HttpClientRequest.HttpClientRequest): string => {
  const { path, query } = address(request)
  return `${request.method} ${path}${query.size === 0 ? "" : `?${query}`}`
}

/** Two addresses are equal if their queries are, in any order. */
const sortedLine = (line: string): string => {
  const [path = "", search = ""] = line.split("?", 2)
  return `${path}?${[...new URLSearchParams(search)].map(String).toSorted().join("&")}`
}

const hash = (value: unknown): string => ExactJson.hash([value])

const show = (value: unknown): string => Formatter.format(value)

const requestMistakes = (request: HttpClientRequest.HttpClientRequest, { request: expected }: Example) => {
  const headers = Object.entries(expected.headers ?? {}).flatMap(([name, value]) => {
    const sent = request.headers[name.toLowerCase()]
    return sent === value ? [] : [`sends the header ${name}: ${String(sent)}, not ${value}`]
  })
  const [line, body] = [lineOf(request), bodyFields(request)]
  return [
    ...(sortedLine(line) === sortedLine(expected.line) ? [] : [`sends ${line}, not ${expected.line}`]),
    ...headers,
    ...(hash(body) === hash(json(expected.body))
      ? []
      : [`sends the body ${show(body)}, not ${show(json(expected.body))}`])
  ]
}

/** A value without `extra` and without undefined fields. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isReadonlyObject(value) || ![Object.prototype, null].includes(Object.getPrototypeOf(value)))
    return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined || name === "extra" ? [] : [[name, plain(inner)]]
    )
  )
}

const isPage = (result: unknown): result is { readonly items: unknown } => Predicate.hasProperty(result, "items")

const recordMistakes = (
  of: Adapter,
  { nextCursor, result }: Success & { readonly result: unknown },
  example: Example
) => {
  const found = plain(of.operation.isList && isPage(result) ? result.items : result)
  const expected = plain(example.record)
  return [
    ...(Equal.equals(found, expected) ? [] : [`reads ${show(found)}, not ${show(expected)}`]),
    ...(nextCursor === example.next ? [] : [`reads the next page ${String(nextCursor)}, not ${String(example.next)}`])
  ]
}

const exampleMistakes = (adapter: Adapter, service: Service): ReadonlyArray<string> => {
  if (adapter.examples.length === 0) return []
  const wire = adapter.wire(service)
  return adapter.examples.flatMap((example, at) => {
    const { answer, request } = madeOf(adapter, wire, example)
    const mistakes = [
      ...Result.match(request, {
        onFailure: (reason) => [`cannot send it: ${reason}`],
        onSuccess: (made) => requestMistakes(made, example)
      }),
      ...Result.match(answer, {
        onFailure: (reason) => [`cannot read its answer: ${reason}`],
        onSuccess: (made) => recordMistakes(adapter, made, example)
      })
    ]
    return mistakes.map((mistake) => `${adapter.operation.operation}, example ${at + 1}: ${mistake}`)
  })
}

const categoryOf = ({ operation: { operation } }: Adapter): string => operation.split(".")[0]!

/** Says what is wrong with the adapters of a layer. */
export const mistakes = (adapters: ReadonlyArray<Adapter>, service: Service): ReadonlyArray<string> => {
  const names = adapters.map(({ operation }) => operation.operation)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  const moving = new Set(adapters.filter(({ operation }) => operation.safety === "write").map(categoryOf))
  const isPlain = Object.keys(service).length === 0
  const untested = adapters.filter(
    (adapter) => moving.has(categoryOf(adapter)) && adapter.examples.length === 0 && !(adapter.isAssumed && isPlain)
  )
  return [
    ...twice.map((name) => `${name} has two adapters`),
    ...untested.map(
      ({ operation: { operation } }) => `${operation} belongs to what moves money, and has no example: see Adapter.test`
    ),
    ...adapters.flatMap((adapter) => exampleMistakes(adapter, service))
  ]
}

const textOf = (request: HttpClientRequest.HttpClientRequest): unknown => [
  lineOf(request),
  { ...request.headers },
  bodyText(request)
]

/** Hashes the functions of an adapter and of its service, and what they make of the adapter's examples. */
export const fingerprint = (adapter: Adapter, service: Service): string => {
  const wire = adapter.wire(service)
  const made = adapter.examples.map((example) => {
    const { answer, request } = madeOf(adapter, wire, example)
    return [
      Result.map(request, textOf),
      Result.map(answer, ({ envelope, nextCursor }) => [(envelope as { readonly data: unknown }).data, nextCursor])
    ].map(Result.getOrUndefined)
  })
  const functions = Object.entries(service).map(([name, code]) => [name, String(code)])
  return ExactJson.hash([adapter.source, functions, made])
}
