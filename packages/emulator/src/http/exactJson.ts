/**
 * Writes JSON numbers with all their digits.
 *
 * Uses JSON.parse with source text access and JSON.rawJSON (ECMAScript 2026; V8 since Node 21). TypeScript's library
 * does not declare them yet.
 */
interface Exact {
  readonly parse: (
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown
  ) => unknown
  readonly rawJSON: (text: string) => object
  readonly isRawJSON: (value: unknown) => boolean
}

const json = JSON as unknown as Exact

/** A number that JSON.stringify writes with exactly this text. */
export const raw = (text: string): object => json.rawJSON(text)

export const isRaw = (value: unknown): boolean => json.isRawJSON(value)

/** Parses JSON so that JSON.stringify writes every number with its original text. */
export const parseRaw = (text: string): unknown =>
  json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined ? raw(source) : value
  )
