/**
 * Matches the operations of a document ("theirs") with those of the SDK ("ours") by method, path words and parameter
 * names. Pure: the same document gives the same result.
 */
import type { Safety } from "@effect-custody/core/Contract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { type ApiOperation, isObject } from "../document/model.ts"
import { read } from "../document/openApi.ts"
import { keyOf, singular, split } from "./words.ts"

/** An operation of ours, read from our own document. */
export interface Ours extends ApiOperation {
  readonly safety: Safety
}

const safeties = new Map(CustodyApi.operations.map(({ name, safety }) => [name, safety]))

/** All of ours. Created on first use. */
export const ours = (() => {
  let all: ReadonlyArray<Ours> | undefined
  return (): ReadonlyArray<Ours> => {
    if (all !== undefined) return all
    const document: unknown = OpenApi.fromApi(CustodyApi)
    all = (isObject(document) ? read(document).operations : []).map((operation) => ({
      ...operation,
      safety: safeties.get(operation.name) ?? "write"
    }))
    return all
  }
})()

/** A pair that may be the same. */
export interface Candidate {
  readonly ours: Ours
  readonly theirs: ApiOperation
  /** From 0 to 1. */
  readonly score: number
  /** What both have, and in what they differ. */
  readonly reason: string
}

/** What was found for one of ours. */
export interface Match {
  readonly ours: Ours
  /** The one that is clearly best; `undefined` where none is. */
  readonly chosen: Candidate | undefined
  /** What a person might choose from, the best first. */
  readonly others: ReadonlyArray<Candidate>
}

/** What is compared of a path. */
interface Parts {
  readonly words: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
}

const segmentsOf = ({ path }: ApiOperation): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")
const isParameter = (segment: string): boolean => segment.startsWith(":")

/** The parts of a path after its first segments. A parameter `id` has the name of the segment before it. */
const partsOf = (segments: ReadonlyArray<string>): Parts => ({
  words: new Set(segments.filter((segment) => !isParameter(segment)).flatMap((segment) => split(segment))),
  parameters: new Set(
    segments.flatMap((segment, at) => {
      if (!isParameter(segment)) return []
      const key = keyOf(segment)
      return [
        key === "id"
          ? `${
              split(segments[at - 1] ?? "")
                .map(singular)
                .at(-1) ?? ""
            } id`.trim()
          : key
      ]
    })
  )
})

/** How many first segments all paths share that no path of ours begins with, such as `/api/v2`. */
const sharedSegments = (operations: ReadonlyArray<ApiOperation>): number => {
  const [first = [], ...others] = operations.map(segmentsOf)
  const known = new Set(ours().map((operation) => segmentsOf(operation)[0]))
  const end = first.findIndex(
    (segment, at) => isParameter(segment) || known.has(segment) || others.some((other) => other[at] !== segment)
  )
  return Math.max(end, 0)
}

const common = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlyArray<string> =>
  [...a].filter((one) => b.has(one))

/** How much two sets have in common, from 0 to 1. */
const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size + b.size === 0 ? 1 : (2 * common(a, b).length) / (a.size + b.size)

const methodOf = ({ method }: ApiOperation): string => (method === "PATCH" ? "PUT" : method)

const only = (name: string, a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlyArray<string> => {
  const [mine, theirs] = [[...a].filter((one) => !b.has(one)), [...b].filter((one) => !a.has(one))]
  return [
    ...(mine.length === 0 ? [] : [`${name} only in the SDK: ${mine.join(", ")}`]),
    ...(theirs.length === 0 ? [] : [`${name} only in the document: ${theirs.join(", ")}`])
  ]
}

const weights = { words: 0.6, parameters: 0.25, method: 0.15 } as const

const compared = (mine: Ours, theirs: ApiOperation, own: Parts, other: Parts): Candidate => {
  const isSame = methodOf(mine) === methodOf(theirs)
  const differences = [
    ...only("words", own.words, other.words),
    ...only("parameters", own.parameters, other.parameters),
    ...(isSame ? [] : [`the SDK assumes ${mine.method}`])
  ]
  const score =
    overlap(own.words, other.words) * weights.words +
    overlap(own.parameters, other.parameters) * weights.parameters +
    (isSame ? weights.method : 0)
  return {
    ours: mine,
    theirs,
    score: Math.round(score * 100) / 100,
    reason: differences.length === 0 ? "same method, words and parameters" : differences.join("; ")
  }
}

/** The minimum score of a match, and of a candidate that is worth showing. */
const least = 0.9
const worthShowing = 0.5
const shownAtMost = 3
/** By how much a match must beat every other pair that has one of its two operations. */
const ahead = 0.1

/** Finds for each of ours the one of theirs that is clearly best. A read is never matched with what may change something. */
export const match = (theirs: ReadonlyArray<ApiOperation>): ReadonlyArray<Match> => {
  const shared = sharedSegments(theirs)
  const others = theirs.map((operation) => ({ operation, parts: partsOf(segmentsOf(operation).slice(shared)) }))
  const all = ours()
    .flatMap((mine) => {
      const own = partsOf(segmentsOf(mine))
      return others
        .filter(({ operation, parts }) => {
          const mayBe = mine.safety === "read" ? ["GET", "POST"].includes(operation.method) : operation.method !== "GET"
          return mayBe && common(own.words, parts.words).length > 0
        })
        .map(({ operation, parts }) => compared(mine, operation, own, parts))
    })
    .filter(({ score }) => score >= worthShowing)
    .toSorted((a, b) => b.score - a.score)
  const isBest = (pair: Candidate): boolean =>
    pair.score >= least &&
    (pair.ours.safety !== "read" || pair.theirs.method === "GET") &&
    !all.some(
      (rival) =>
        rival !== pair && (rival.ours === pair.ours || rival.theirs === pair.theirs) && rival.score > pair.score - ahead
    )
  return ours().map((mine) => {
    const own = all.filter((pair) => pair.ours === mine)
    const chosen = own.find(isBest)
    return { ours: mine, chosen, others: own.filter((pair) => pair !== chosen).slice(0, shownAtMost) }
  })
}
