/**
 * Matches the operations of a document ("theirs") with those of the SDK ("ours"). Pure: the same document gives the
 * same result.
 */
import type { Safety } from "@effect-custody/core/Contract"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"
import * as OpenApi from "effect/http-api/OpenApi"
import { type ApiOperation, isObject, parametersOf } from "../document/model.ts"
import { read } from "../document/openApi.ts"
import { find } from "./fields.ts"
import { recordsOf } from "./payload.ts"
import { meaning } from "./words.ts"

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

/** How well one of their operations fits one of ours, from 0 to 1. */
export interface Score {
  readonly total: number
  readonly words: number
  readonly fields: number
  readonly shape: number
  /** The words that both have. */
  readonly shared: ReadonlyArray<string>
}

/** A pair that may be the same. */
export interface Candidate {
  readonly ours: Ours
  readonly theirs: ApiOperation
  readonly score: Score
  /** Whether theirs has every word of our name, and its path has no word that is not in our vocabulary. */
  readonly isExplained: boolean
}

const isParameter = (segment: string): boolean => segment.startsWith(":")
const fixed = (path: string): string =>
  path
    .split("/")
    .filter((segment) => !isParameter(segment))
    .join(" ")

const isList = (operation: ApiOperation): boolean => recordsOf(operation)?.isList === true

/** The verb that a method and a path imply: a GET that answers with a list means `list`. */
const implied = (operation: ApiOperation): string => {
  const endsInParameter = isParameter(operation.path.split("/").at(-1) ?? "")
  switch (operation.method) {
    case "GET":
      return isList(operation) ? "list" : "get"
    case "POST":
      return endsInParameter ? "" : "create"
    case "DELETE":
      return "cancel"
    default:
      return "update"
  }
}

/** The words of an operation: those of its name and path, and others that only count if both operations have them. */
interface Words {
  readonly main: ReadonlyMap<string, number>
  readonly aside: ReadonlySet<string>
}

const pathWeight = 0.6
const impliedWeight = 0.5

const wordsOf = (operation: ApiOperation): Words => {
  const isNamed = !operation.name.startsWith(`${operation.method} `)
  const main = new Map<string, number>()
  const add = (text: string, weight: number) => {
    for (const word of meaning(text)) main.set(word, Math.max(weight, main.get(word) ?? 0))
  }
  if (isNamed) add(operation.name, 1)
  add(fixed(operation.path), isNamed ? pathWeight : 1)
  add(implied(operation), impliedWeight)
  return { main, aside: new Set([...meaning(operation.description), ...parametersOf(operation.path).flatMap(meaning)]) }
}

/** Whether two operations may be the same: a read is never matched with one that changes something, nor the reverse. */
const mayBe = (mine: Ours, theirs: ApiOperation): boolean =>
  mine.safety === "read"
    ? theirs.method === "GET" || (theirs.method === "POST" && reads(theirs))
    : theirs.method !== "GET"

/** Whether a POST lists or searches, by its name or path. */
const reads = (theirs: ApiOperation): boolean => meaning(`${theirs.name} ${fixed(theirs.path)}`).includes("list")

const share = (hits: number, all: number): number => (all === 0 ? 1 : Math.min(1, hits / all))

const paging = new Set(["page", "limit", "sort_key", "order", "search"])

/** The share of our fields that theirs has, in the request and in the answer. */
const fieldScore = (mine: Ours, theirs: ApiOperation): number => {
  const request = [
    ...theirs.query,
    ...theirs.body,
    ...parametersOf(theirs.path).map((path) => ({ path, type: "string" as const }))
  ]
  const sent = [...mine.query, ...mine.body].filter(({ path }) => !paging.has(path) && !path.includes("."))
  const required = sent.filter(({ isRequired }) => isRequired === true)
  const asked = required.length > 0 ? required : sent
  const placed = asked.filter(({ path }) => find(path, request) !== undefined).length
  // An operation without a place for a required field is hardly ours, whatever else it has.
  const requested = share(placed, asked.length) * (required.length > 0 && placed < asked.length ? 0.5 : 1)
  const [own, other] = [recordsOf(mine), recordsOf(theirs)]
  if (own === undefined || other === undefined) return requested
  const hits = own.fields.filter(({ path }) => find(path, other.fields) !== undefined).length
  const answered = share(hits, Math.min(own.fields.length, other.fields.length))
  return (requested + answered) / 2
}

const shapeScore = (mine: Ours, theirs: ApiOperation): number => {
  const [a, b] = [parametersOf(mine.path).length, parametersOf(theirs.path).length]
  const sameParameters = a === b ? 1 : 0.4
  const sameMethod = mine.method === theirs.method ? 1 : 0.6
  const [own, other] = [recordsOf(mine), recordsOf(theirs)]
  const sameKind = own === undefined || other === undefined ? 0.7 : own.isList === other.isList ? 1 : 0
  return sameParameters * 0.35 + sameMethod * 0.25 + sameKind * 0.4
}

/** How rare a word is: one that is in every name says little. */
const rarities = (all: ReadonlyArray<Words>): ((word: string) => number) => {
  const counts = new Map<string, number>()
  for (const { main } of all) for (const word of main.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  return (word) => Math.log((all.length + 1) / ((counts.get(word) ?? 0) + 0.5))
}

const wordScore = (mine: Words, theirs: Words, rarity: (word: string) => number): Pick<Score, "words" | "shared"> => {
  const sum = (entries: Iterable<readonly [string, number]>) =>
    [...entries].reduce((total, [word, weight]) => total + rarity(word) * weight, 0)
  const shared = [...mine.main].filter(([word]) => theirs.main.has(word))
  const common = sum(shared.map(([word, weight]) => [word, Math.min(weight, theirs.main.get(word) ?? 0)] as const))
  // A word of ours that is only in their description counts half.
  const aside = sum([...mine.main].filter(([word]) => !theirs.main.has(word) && theirs.aside.has(word))) / 2
  const all = sum(mine.main) + sum(theirs.main)
  return { words: all === 0 ? 0 : Math.min(1, (2 * common + aside) / all), shared: shared.map(([word]) => word) }
}

/** The minimum for a candidate. A pair with less in common can neither be chosen nor come close to one that is. */
const fewestWords = 0.18

const weights = { words: 0.55, fields: 0.25, shape: 0.2 } as const

/** Whether theirs has every word of our name, and its path has no word that is not in our vocabulary. */
const isExplained = (
  mine: Ours,
  theirs: Words,
  path: ReadonlyArray<string>,
  vocabulary: ReadonlySet<string>
): boolean =>
  meaning(mine.name).every((word) => theirs.main.has(word) || theirs.aside.has(word)) &&
  path.every((word) => vocabulary.has(word))

/** Every pair that may be the same, the best first. */
export const candidates = (theirs: ReadonlyArray<ApiOperation>): ReadonlyArray<Candidate> => {
  const own = ours().map((operation) => ({ operation, words: wordsOf(operation) }))
  const other = theirs.map((operation) => ({ operation, words: wordsOf(operation) }))
  const vocabulary = new Set(own.flatMap(({ words }) => [...words.main.keys(), ...words.aside]))
  const rarity = rarities([...own, ...other].map(({ words }) => words))
  return own
    .flatMap((mine) =>
      other
        .filter(({ operation }) => mayBe(mine.operation, operation))
        .map(({ operation, words }) => ({ operation, words, said: wordScore(mine.words, words, rarity) }))
        .filter(({ said }) => said.words >= fewestWords)
        .map(({ operation, said, words }): Candidate => {
          const fields = fieldScore(mine.operation, operation)
          const shape = shapeScore(mine.operation, operation)
          const total = said.words * weights.words + fields * weights.fields + shape * weights.shape
          return {
            ours: mine.operation,
            theirs: operation,
            score: { total, fields, shape, ...said },
            isExplained: isExplained(mine.operation, words, meaning(fixed(operation.path)), vocabulary)
          }
        })
    )
    .toSorted((a, b) => b.score.total - a.score.total)
}

/** What was found for one of ours. */
export interface Match {
  readonly ours: Ours
  /** The one that stands out; `undefined` where nothing does. */
  readonly chosen: Candidate | undefined
  /** What a person might choose from, the best first. */
  readonly others: ReadonlyArray<Candidate>
}

/** The minimum score of a match: higher if the words do not explain everything. */
const least = ({ isExplained: isPlain }: Candidate): number => (isPlain ? 0.6 : 0.8)
/** By how much a match must beat every other pair that has one of its two operations. */
const ahead = 0.05
/** The minimum score that is worth showing. */
const worthShowing = 0.4
const shownAtMost = 3

/**
 * Finds for each of ours the one of theirs that stands out. A pair is chosen if its score is high enough and no other
 * pair with one of the two operations comes close: in doubt a person decides.
 */
export const match = (theirs: ReadonlyArray<ApiOperation>): ReadonlyArray<Match> => {
  const all = candidates(theirs)
  const taken = new Set<ApiOperation>()
  const chosen = new Map<Ours, Candidate>()
  // A chosen operation is no longer a rival, so other pairs may stand out in the next round.
  for (let found = true; found;) {
    found = false
    for (const pair of all) {
      if (chosen.has(pair.ours) || taken.has(pair.theirs) || pair.score.total < least(pair)) continue
      const rivals = all.filter(
        (other) =>
          other !== pair &&
          (other.ours === pair.ours || other.theirs === pair.theirs) &&
          !chosen.has(other.ours) &&
          !taken.has(other.theirs)
      )
      if (rivals.some((other) => other.score.total > pair.score.total - ahead)) continue
      chosen.set(pair.ours, pair)
      taken.add(pair.theirs)
      found = true
    }
  }
  return ours().map((mine) => ({
    ours: mine,
    chosen: chosen.get(mine),
    others: all
      .filter((pair) => pair.ours === mine && pair !== chosen.get(mine) && pair.score.total >= worthShowing)
      .slice(0, shownAtMost)
  }))
}
