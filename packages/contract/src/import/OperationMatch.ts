/**
 * Matches the operations of a document with our own operations (of the SDK's API) by method, path words and parameter
 * names. Pure.
 */
import type * as Declaration from "@effect-custody/core/unstable/Declaration"
import { type Api, operationShapes } from "../language/contract.ts"
import { type ApiOperation, isParameter } from "./model.ts"
import { read } from "./openApi.ts"

export const singular = (word: string): string => {
  if (word.length > 3 && word.endsWith("ies")) return `${word.slice(0, -3)}y`
  return word.length > 3 && /[^su]s$/.test(word) ? word.slice(0, -1) : word
}

/** Splits a text into words in lower case. `clientId`, `client_id` and `Client ID` give the same words. */
const splitWords = (text: string): ReadonlyArray<string> =>
  text
    .replaceAll(/([a-z0-9])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== "")

/** Makes a key that is equal for all spellings of a name. */
export const nameKey = (name: string): string => splitWords(name).join(" ")

/** One of our own operations, read from our API's OpenAPI document. */
export interface OwnOperation extends ApiOperation {
  readonly safety: Declaration.Safety
}

/** `document`: the API's own OpenAPI document. */
export const ownOperations = (api: Api, document: object): ReadonlyArray<OwnOperation> => {
  const shapes = operationShapes(api)
  return read({ ...document }).operations.map((operation) => ({
    ...operation,
    safety: shapes.get(operation.name)!.declaration.safety
  }))
}

export interface Candidate {
  readonly own: OwnOperation
  readonly theirs: ApiOperation
  /** From 0 to 1. */
  readonly score: number
  /** `true` if the words that both have are in the same number. */
  readonly isSameNumber: boolean
  /** A description of the differences. */
  readonly reason: string
}

export interface Match {
  readonly own: OwnOperation
  /** The document's operations that may be `own`, the best first. */
  readonly candidates: ReadonlyArray<Candidate>
  /** `true` if the first candidate is clearly best. */
  readonly isClear: boolean
}

interface Parts {
  /** The words in the singular. */
  readonly words: ReadonlySet<string>
  readonly spellings: ReadonlySet<string>
  readonly parameters: ReadonlySet<string>
}

const readSegments = ({ path }: ApiOperation): ReadonlyArray<string> => path.split("/").filter((part) => part !== "")

/** Reads the words and parameters of a path. `:id` in `/wallets/:id` is read as `wallet id`. */
const readParts = (segments: ReadonlyArray<string>): Parts => {
  const spellings = segments.filter((segment) => !isParameter(segment)).flatMap(splitWords)
  return {
    words: new Set(spellings.map(singular)),
    spellings: new Set(spellings),
    parameters: new Set(
      segments.flatMap((segment, at) => {
        if (!isParameter(segment)) return []
        const before = splitWords(segments[at - 1] ?? "").at(-1) ?? ""
        return nameKey(segment) === "id" ? `${singular(before)} id`.trim() : nameKey(segment)
      })
    )
  }
}

/**
 * Counts the segments of the prefix that all paths share, such as `/api/v2`. The prefix stops before a parameter, and
 * before the first segment of any of our own paths, such as `wallets`.
 */
const countSharedSegments = (operations: ReadonlyArray<ApiOperation>, own: ReadonlyArray<OwnOperation>): number => {
  const [first = [], ...others] = operations.map(readSegments)
  const known = new Set(own.map((operation) => readSegments(operation)[0]))
  const end = first.findIndex(
    (segment, at) => isParameter(segment) || known.has(segment) || others.some((other) => other[at] !== segment)
  )
  return Math.max(end, 0)
}

const common = (a: ReadonlySet<string>, b: ReadonlySet<string>): ReadonlyArray<string> =>
  [...a].filter((one) => b.has(one))

/** The share of members that two sets have in common, from 0 to 1. */
const overlap = (a: ReadonlySet<string>, b: ReadonlySet<string>): number =>
  a.size + b.size === 0 ? 1 : (2 * common(a, b).length) / (a.size + b.size)

const only = (where: string, own: Parts, other: Parts): ReadonlyArray<string> => {
  const left = [
    ...[...own.spellings].filter((one) => !other.spellings.has(one)),
    ...[...own.parameters].filter((one) => !other.parameters.has(one))
  ]
  return left.length === 0 ? [] : [`only in the ${where}: ${left.join(", ")}`]
}

const comparableMethod = ({ method }: ApiOperation): string => (method === "PATCH" ? "PUT" : method)

const compare = (mine: OwnOperation, theirs: ApiOperation, own: Parts, other: Parts): Candidate => {
  const isSame = comparableMethod(mine) === comparableMethod(theirs)
  const differences = [
    ...only("SDK", own, other),
    ...only("document", other, own),
    ...(isSame ? [] : [`the SDK assumes ${mine.method}`])
  ]
  const score =
    overlap(own.words, other.words) * 0.5 +
    overlap(own.spellings, other.spellings) * 0.1 +
    overlap(own.parameters, other.parameters) * 0.25 +
    (isSame ? 0.15 : 0)
  return {
    own: mine,
    theirs,
    score: Math.round(score * 100) / 100,
    isSameNumber: common(own.words, other.words).length === common(own.spellings, other.spellings).length,
    reason: differences.length === 0 ? "same method, words and parameters" : differences.join("; ")
  }
}

/** The minimum scores of a match and of a candidate. */
const minMatchScore = 0.9
const minCandidateScore = 0.5
const maxCandidates = 3
/**
 * A match is clear only if its score exceeds, by at least this much, the score of every other pair that shares an
 * operation with it.
 */
const minLead = 0.1

/**
 * Finds the candidates for each of our own operations. A POST may be a candidate for one of our reads, but only a GET
 * can be the read's clear match. A read in another number is not clear either: `/transaction` can be one of `/transactions`.
 */
export const match = (theirs: ReadonlyArray<ApiOperation>, ours: ReadonlyArray<OwnOperation>): ReadonlyArray<Match> => {
  const shared = countSharedSegments(theirs, ours)
  const others = theirs.map((operation) => ({ operation, parts: readParts(readSegments(operation).slice(shared)) }))
  const pairs = ours
    .flatMap((mine) => {
      const own = readParts(readSegments(mine))
      return others
        .filter(({ operation, parts }) => {
          const mayBe = mine.safety === "read" ? ["GET", "POST"].includes(operation.method) : operation.method !== "GET"
          return mayBe && common(own.words, parts.words).length > 0
        })
        .map(({ operation, parts }) => compare(mine, operation, own, parts))
    })
    .filter(({ score }) => score >= minCandidateScore)
    .toSorted((a, b) => b.score - a.score)
  const isBest = (pair: Candidate): boolean =>
    pair.score >= minMatchScore &&
    (pair.own.safety !== "read" || (pair.theirs.method === "GET" && pair.isSameNumber)) &&
    !pairs.some(
      (rival) =>
        rival !== pair && (rival.own === pair.own || rival.theirs === pair.theirs) && rival.score > pair.score - minLead
    )
  return ours.map((mine) => {
    const own = pairs.filter((pair) => pair.own === mine)
    return { own: mine, candidates: own.slice(0, maxCandidates), isClear: own[0] !== undefined && isBest(own[0]) }
  })
}
