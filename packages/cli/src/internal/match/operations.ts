/** Finds which operation of a document may be which of ours: by method, path words and parameter names. Pure. */
import type { Safety } from "@effect-custody/core/EndpointSpec"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { type ApiOperation, isParameter } from "../document/model.ts"
import { read } from "../document/openApi.ts"

export const singular = (word: string): string => {
  if (word.length > 3 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word
}

/** The words of a text in lower case: `clientId`, `client_id` and `Client ID` are the same. */
const wordsOf = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** A name as a key: the same for every spelling. */
export const keyOf = (name: string): string => wordsOf(name).join(" ")

/** An operation of ours, read from our own document. */
export interface Ours extends ApiOperation {
  readonly safety: Safety
}

let all: ReadonlyArray<Ours> | undefined

export const ours = (): ReadonlyArray<Ours> => {
  const safeties = new Map(CustodyApi.operations.map(({ name, safety }) => [name, safety]))
  return (all ??= read({ ...OpenApi.fromApi(CustodyApi) }).operations.map((operation) => ({
    ...operation,
    safety: safeties.get(operation.name)!
  })))
}

export interface Candidate {
  readonly ours: Ours
  readonly theirs: ApiOperation
  /** From 0 to 1. */
  readonly score: number
  /** In what they differ. */
  readonly reason: string
}

export interface Match {
  readonly ours: Ours
  /** What it may be, the best first. */
  readonly candidates: ReadonlyArray<Candidate>
  /** Whether the first one is clearly best. */
  readonly isClear: boolean
}

interface Parts {
  readonly words: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
}

const segmentsOf = ({ path }: ApiOperation): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** A parameter `id` has the name of the segment before it. */
const partsOf = (segments: ReadonlyArray<string>): Parts => ({
  words: new Set(segments.filter((segment) => !isParameter(segment)).flatMap(wordsOf)),
  parameters: new Set(
    segments.flatMap((segment, at) => {
      if (!isParameter(segment)) return []
      const before = wordsOf(segments[at - 1] ?? "").at(-1) ?? ""
      return keyOf(segment) === "id" ? `${singular(before)} id`.trim() : keyOf(segment)
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

const only = (where: string, own: Parts, other: Parts): ReadonlyArray<string> => {
  const left = [
    ...[...own.words].filter((one) => !other.words.has(one)),
    ...[...own.parameters].filter((one) => !other.parameters.has(one))
  ]
  return left.length === 0 ? [] : [`only in the ${where}: ${left.join(", ")}`]
}

const methodOf = ({ method }: ApiOperation): string => (method === "PATCH" ? "PUT" : method)

const compared = (mine: Ours, theirs: ApiOperation, own: Parts, other: Parts): Candidate => {
  const isSame = methodOf(mine) === methodOf(theirs)
  const differences = [
    ...only("SDK", own, other),
    ...only("document", other, own),
    ...(isSame ? [] : [`the SDK assumes ${mine.method}`])
  ]
  const score =
    overlap(own.words, other.words) * 0.6 + overlap(own.parameters, other.parameters) * 0.25 + (isSame ? 0.15 : 0)
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
  const pairs = ours()
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
    !pairs.some(
      (rival) =>
        rival !== pair && (rival.ours === pair.ours || rival.theirs === pair.theirs) && rival.score > pair.score - ahead
    )
  return ours().map((mine) => {
    const own = pairs.filter((pair) => pair.ours === mine)
    return { ours: mine, candidates: own.slice(0, shownAtMost), isClear: own[0] !== undefined && isBest(own[0]) }
  })
}
