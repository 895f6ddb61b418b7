/**
 * Reads a document that describes a service's API, and lists which of the document's operations may be which of ours.
 * A proposal has no effect until a person confirms it.
 *
 * @since 0.1.0
 */
import type * as ContractFile from "@effect-custody/core/ContractFile"
import * as Result from "effect/Result"
import { parse } from "yaml"
import * as Har from "./internal/document/har.ts"
import { type ApiDocument, isObject } from "./internal/document/model.ts"
import * as OpenApi from "./internal/document/openApi.ts"
import * as Postman from "./internal/document/postman.ts"
import * as Propose from "./internal/match/propose.ts"

/**
 * An API as a document describes it: its title, and a description of each operation. From examples and recorded
 * traffic, only the names and the types of fields are kept.
 *
 * @since 0.1.0
 * @category models
 */
export interface Document extends ApiDocument {}

/**
 * What was found for one of our operations.
 *
 * - `proposed`: one of the document's operations is clearly best, and `difference` is its entry;
 * - `undecided`: several are similar, none is similar enough, or an entry cannot express the one that is;
 * - `absent`: none is similar.
 *
 * @since 0.1.0
 * @category models
 */
export interface Entry extends Propose.Entry {}

/**
 * What a document says about all operations.
 *
 * @since 0.1.0
 * @category models
 */
export interface Proposal extends Propose.Proposal {}

const formats = [
  [OpenApi.isOpenApi, OpenApi.read],
  [Postman.isPostman, Postman.read],
  [Har.isHar, Har.read]
] as const

/**
 * Reads the text of a document: OpenAPI 3.0 or 3.1 in JSON or YAML, a Postman collection 2.1, or recorded traffic (HAR
 * 1.2). The failure says what is wrong.
 *
 * @since 0.1.0
 * @category reading
 */
export const read = (text: string): Result.Result<Document, string> => {
  const json = Result.orElse(
    Result.try((): unknown => JSON.parse(text)),
    () => Result.try((): unknown => parse(text))
  )
  if (Result.isFailure(json)) return Result.fail("it is neither JSON nor YAML")
  const value = json.success
  const format = isObject(value) ? formats.find(([is]) => is(value)) : undefined
  if (format === undefined || !isObject(value)) {
    return Result.fail("it is not an OpenAPI 3 document, a Postman collection 2.1 or a HAR")
  }
  const document = format[1](value)
  return document.operations.length === 0 ? Result.fail("it has no operations") : Result.succeed(document)
}

/**
 * Compares the operations of a document with ours by method, path words and parameter names. The same document gives
 * the same proposal.
 *
 * A read is never matched with an operation that may change something. A match is proposed only if it is clearly best;
 * in doubt a person decides. Only fields of equal name are placed; `look` lists the others. Nothing is said of the
 * envelope and the other defaults.
 *
 * @example
 * ```ts
 * import { ContractImport } from "@effect-custody/cli"
 * import { Result } from "effect"
 *
 * export const proposed = (text: string) =>
 *   Result.map(ContractImport.read(text), (document) =>
 *     ContractImport.propose(document).entries.filter(({ verdict }) => verdict === "proposed")
 *   )
 * ```
 *
 * @since 0.1.0
 * @category matching
 */
export const propose: (document: Document) => Proposal = Propose.propose

type Parts = Pick<ContractFile.Differences, keyof ContractFile.Differences>

const partsOf = (difference: true | ContractFile.Differences): Parts => (difference === true ? {} : difference)

/**
 * The proposal as a contract file. Everything is under `proposed`, which has no effect.
 *
 * @since 0.1.0
 * @category conversions
 */
export const toFile = ({ entries, look: general }: Proposal, source: ContractFile.Source): ContractFile.File => ({
  $schema: "./node_modules/@effect-custody/sdk/custody.contract.schema.json",
  source,
  ...(general.length === 0 ? {} : { note: general.join("; ") }),
  operations: {},
  proposed: Object.fromEntries(
    entries.flatMap(({ difference, look, operation, place }) =>
      difference === undefined
        ? []
        : [
            [
              operation,
              {
                ...partsOf(difference),
                ...(place === undefined ? {} : { source: { page: place } }),
                ...(look.length === 0 ? {} : { note: look.join("; ") })
              }
            ]
          ]
    )
  )
})
