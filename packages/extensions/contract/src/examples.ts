/** The examples of adapters: whether an adapter reproduces them, and what it makes of them for its fingerprint. Pure. */
import * as ExactJson from "@effect-custody/core/siblings/ExactJson"
import * as Operation from "@effect-custody/core/siblings/Operation"
import type { RequestInput, Success } from "@effect-custody/core/siblings/Wires"
import * as Equal from "effect/Equal"
import * as Formatter from "effect/Formatter"
import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Adapter, Example, Service } from "./model.ts"
import { address, bodyFields, bodyText, isPlain } from "./wire.ts"

const json = (given: unknown): unknown => (typeof given === "string" ? ExactJson.parse(given) : given)

/** What an adapter makes of its examples: the request, and what the answer becomes. */
const make = (adapter: Adapter, service: Service) => {
  const wire = adapter.wire(service)
  const codec = Operation.codec(adapter.operation)
  return adapter.examples.map((example) => {
    const input: Result.Result<RequestInput, string> = Result.mapError(
      codec.prepare(example.input),
      ({ message }) => message
    )
    const request = Result.flatMap(input, (input) =>
      Result.mapError(wire.request(input), (issues) =>
        issues.map(({ message, path }) => [...path, message].join(": ")).join("; ")
      )
    )
    const headers = Object.entries(example.headers ?? {}).map(([name, value]) => [name.toLowerCase(), value])
    const received = {
      status: example.status ?? adapter.operation.status,
      body: json(example.example),
      headers: Object.fromEntries(headers)
    }
    const read = wire.answer(received, Result.getOrUndefined(input)) ?? Result.fail("its status is no success")
    const answer = Result.flatMap(read, (success) =>
      Result.map(codec.decode(success, wire.place), (result) => ({ ...success, result }))
    )
    return { example, request, answer }
  })
}

const lineOf = (request: HttpClientRequest.HttpClientRequest): string => {
  const { path, query } = address(request)
  return `${request.method} ${path}${query.size === 0 ? "" : `?${query}`}`
}

/** Two addresses are equal if their queries are, in any order. */
const sorted = (line: string): string => {
  const [path, search] = line.split("?", 2)
  const query = [...new URLSearchParams(search)].toSorted(([a], [b]) => (a < b ? -1 : 1))
  return search === undefined ? line : `${path}?${new URLSearchParams(query)}`
}

/** A value without `extra` and without undefined fields. */
const plain = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(plain)
  if (!Predicate.isReadonlyObject(value) || !isPlain(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, inner]) =>
      inner === undefined || name === "extra" ? [] : [[name, plain(inner)]]
    )
  )
}

const show = (value: unknown): string => (typeof value === "string" ? value : Formatter.format(value))

/** Says what an adapter makes instead of what its example shows. */
const difference = (what: string, made: unknown, shown: unknown): ReadonlyArray<string> => {
  const [one, other] = [plain(made), plain(shown)]
  return Equal.equals(one, other) ? [] : [`${what} ${show(one)}, not ${show(other)}`]
}

const requestMistakes = (
  request: HttpClientRequest.HttpClientRequest,
  { body, headers = {}, line }: Example["request"]
) => [
  ...difference("sends", sorted(lineOf(request)), sorted(line)),
  ...Object.entries(headers).flatMap(([name, value]) =>
    difference(`sends the header ${name}:`, request.headers[name.toLowerCase()], value)
  ),
  ...difference("sends the body", bodyFields(request), json(body))
]

const recordMistakes = (
  { operation }: Adapter,
  { nextCursor, result }: Success & { readonly result: unknown },
  { next, record }: Example
) => [
  ...difference("reads", operation.isList ? (result as { readonly items: unknown }).items : result, record),
  ...difference("reads the next page", nextCursor, next)
]

const exampleMistakes = (adapter: Adapter, service: Service): ReadonlyArray<string> => {
  if (adapter.examples.length === 0) return []
  return make(adapter, service).flatMap(({ answer, example, request }, at) =>
    [
      ...Result.match(request, {
        onFailure: (reason) => [`cannot send it: ${reason}`],
        onSuccess: (made) => requestMistakes(made, example.request)
      }),
      ...Result.match(answer, {
        onFailure: (reason) => [`cannot read its answer: ${reason}`],
        onSuccess: (made) => recordMistakes(adapter, made, example)
      })
    ].map((mistake) => `${adapter.operation.operation}, example ${at + 1}: ${mistake}`)
  )
}

const categoryOf = ({ operation: { operation } }: Adapter): string => operation.split(".")[0]!

/** Says what is wrong with the adapters of a layer. */
export const mistakes = (adapters: ReadonlyArray<Adapter>, service: Service): ReadonlyArray<string> => {
  const names = adapters.map(({ operation }) => operation.operation)
  const moving = new Set(adapters.filter(({ operation }) => operation.safety === "write").map(categoryOf))
  const isPlain = Object.keys(service).length === 0
  return [
    ...names.filter((name, at) => names.indexOf(name) !== at).map((name) => `${name} has two adapters`),
    ...adapters.flatMap((adapter) => {
      const needsExample = moving.has(categoryOf(adapter)) && !(adapter.isAssumed && isPlain)
      return needsExample && adapter.examples.length === 0
        ? [`${adapter.operation.operation} belongs to what moves money, and has no example: see Adapter.test`]
        : exampleMistakes(adapter, service)
    })
  ]
}

/** Hashes the functions of an adapter and of its service, and what they make of the adapter's examples. */
export const fingerprint = (adapter: Adapter, service: Service): string => {
  const made = make(adapter, service).map(({ answer, request }) => [
    Result.getOrUndefined(Result.map(request, (made) => [lineOf(made), { ...made.headers }, bodyText(made)])),
    Result.getOrUndefined(Result.map(answer, ({ nextCursor, result }) => [plain(result), nextCursor]))
  ])
  const functions = Object.entries(service).map(([name, code]) => [name, String(code)])
  return ExactJson.hash([adapter.source, functions, made])
}
