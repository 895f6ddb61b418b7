/**
 * What `custody contract import` makes of each service's own document, as a table: `pnpm import-table`. With `--look` it
 * prints what is left to a person.
 */
import { ContractImport } from "@effect-custody/cli"
import { type ContractFile, WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { Effect, Result } from "effect"
import { shapesOf } from "../../../../packages/core/src/internal/contract/compile.ts"
import type { OperationShape, Shape } from "../../../../packages/core/src/internal/contract/shape.ts"
import { services } from "./contracts.ts"
import { documents, type Published } from "./documents.ts"

/** What was found in one document. */
export interface Count {
  readonly name: string
  readonly right: number
  /** Proposals that speak the service's wire without a correction, statuses in other words included. */
  readonly asTheyStand: ReadonlyArray<string>
  readonly wrong: ReadonlyArray<string>
  readonly left: ReadonlyArray<string>
  readonly minutes: number
  readonly proposal: ContractImport.Proposal
}

/** A value of our JSON. */
const example = (shape: Shape, name: string): unknown => {
  switch (shape._tag) {
    case "List":
      return [example(shape.item, name)]
    case "Record":
      return Object.fromEntries([...shape.fields].map(([inner, of]) => [inner, example(of, inner)]))
    case "Leaf":
      return {
        amount: "12.5",
        id: "17",
        object: { a: 1 },
        other: shape.known[0] ?? name,
        time: "2026-11-21T10:00:00.000Z"
      }[shape.kind]
  }
}

/** What a contract sends for an operation, and what it makes of an answer. */
const spoken = (contract: WireContract.WireContract, shape: OperationShape) => {
  const wire = contract.wire(shape.operation)!
  const part = (of: string) =>
    Object.fromEntries(
      [...shape.input]
        .filter(([, field]) => field.part === of)
        .map(([name, field]) => [name, example(field.shape, name)])
    )
  const encoded = {
    params: part("path") as Readonly<Record<string, string>>,
    query: { ...part("query"), ...(shape.isPaged ? { page: "1", limit: "10" } : {}) },
    body: shape.body === "None" ? ({ _tag: "None" } as const) : ({ _tag: shape.body, fields: part("body") } as const)
  }
  const { body, headers, method, url, urlParams } = Result.getOrThrow(wire.request({ encoded }))
  const sent =
    body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : "formData" in body ? body.formData : undefined
  return { wire, request: { method, url, query: urlParams.params, accept: headers["accept"], sent } }
}

/** The proposals that speak the wire of the contract that was written by hand. */
const asTheyStand = (proposal: ContractImport.Proposal, byHand: ContractFile.File): ReadonlyArray<string> => {
  const file = ContractImport.toFile(proposal, { document: "theirs" })
  const compiled = (contract: ContractFile.File) =>
    Effect.runSync(
      Effect.provide(
        WireContract.WireContract,
        WireContract.layer(contract as WireContract.ContractOf<typeof CustodyApi>, CustodyApi)
      )
    )
  const { proposed = {}, ...rest } = file
  const [found, right] = [compiled({ ...rest, operations: proposed }), compiled(byHand)]
  const request = { params: {}, query: {}, headers: {}, body: {}, target: "/" }
  return [...shapesOf(CustodyApi)]
    .filter(([name]) => Object.hasOwn(proposed, name))
    .filter(([name, shape]) => {
      const [own, other] = [spoken(found, shape), spoken(right, shape)]
      const inverse = right.inverse(name)
      if (inverse === undefined || typeof inverse === "string") return false
      const answer = inverse.answer({ data: example(shape.payload, "payload") }, 200, request)
      const [read, expected] = [own, other].map(({ wire }) => {
        const envelope = wire.envelope(JSON.parse(JSON.stringify(answer.body ?? null)), answer.status, undefined)
        return typeof envelope === "object" && envelope !== null && "data" in envelope ? envelope.data : undefined
      })
      // Our codecs read an id that is a number as the same text.
      const text = (value: unknown) =>
        JSON.stringify(value, (_, inner) => (typeof inner === "number" ? String(inner) : inner))
      return (
        JSON.stringify(own.request) === JSON.stringify(other.request) &&
        expected !== undefined &&
        text(read) === text(expected)
      )
    })
    .map(([name]) => name)
}

export const count = ({ document, right }: Published, at: number): Count => {
  const proposal = ContractImport.propose(Result.getOrThrow(ContractImport.read(JSON.stringify(document))))
  const proposed = proposal.entries.filter(({ verdict }) => verdict === "proposed")
  const wrong = proposed.filter(({ operation, theirs }) => right.get(operation) !== theirs)
  const { contract, dialect } = services[at]!
  return {
    name: dialect.name,
    right: proposed.length - wrong.length,
    asTheyStand: asTheyStand(proposal, contract),
    wrong: wrong.map(({ operation, theirs }) => `${operation}: ${theirs}`),
    left: proposal.entries.filter(({ verdict }) => verdict !== "proposed").map(({ operation }) => operation),
    minutes: ContractImport.minutesLeft(proposal),
    proposal
  }
}

if (import.meta.main) {
  console.log("| service | matched rightly | of these need no correction | wrongly | left to a person | minutes |")
  console.log("| --- | --- | --- | --- | --- | --- |")
  for (const each of documents.map(count)) {
    const { asTheyStand: stand, left, minutes, name, proposal, right, wrong } = each
    const rest = left.length === 0 ? "0" : `${left.length}: ${left.join(", ")}`
    console.log(`| ${[name, right, stand.length, wrong.length, rest, minutes].join(" | ")} |`)
    if (!process.argv.includes("--look")) continue
    console.log(JSON.stringify(proposal.defaults), proposal.look, wrong)
    for (const { difference, look, operation, reason, score, theirs, verdict } of proposal.entries) {
      if (verdict === "proposed" && look.length === 0 && stand.includes(operation)) continue
      console.log(" ", operation, verdict, score, theirs, reason, look, JSON.stringify(difference))
    }
  }
}
