/** The fields that `custody call` is given: by `--input` and by arguments. Pure. */
import * as ExactJson from "@effect-custody/core/ExactJson"
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import type { Fields } from "./endpoints.ts"

type Read = Result.Result<Fields, string>

const isObject = (value: unknown): value is Fields => Predicate.isReadonlyObject(value) && !Array.isArray(value)

const said = ({ column, line, message }: ExactJson.Mistake): string => `--input:${line}:${column}: ${message}`

/** The fields of a JSON object. Numbers keep their digits, and no key may be repeated. */
const ofJson = (text: string): Read =>
  Result.flatMap(
    Result.mapError(ExactJson.read(text), (mistakes) => mistakes.map(said).join("\n")),
    (value) => (isObject(value) ? Result.succeed(value) : Result.fail("--input must be a JSON object"))
  )

/** The fields of arguments such as `name=value`. */
const ofArguments = (texts: ReadonlyArray<string>): Read => {
  const fields = new Map<string, string>()
  for (const text of texts) {
    const at = text.indexOf("=")
    if (at < 1) return Result.fail(`"${text}" must be written as field=value`)
    const name = text.slice(0, at)
    if (fields.has(name)) return Result.fail(`"${name}" is repeated: each field once`)
    fields.set(name, text.slice(at + 1))
  }
  return Result.succeed(Object.fromEntries(fields))
}

/** All fields; an argument takes the place of the field of `--input`. */
export const fieldsOf = (input: string | undefined, texts: ReadonlyArray<string>): Read =>
  Result.flatMap(input === undefined ? Result.succeed({}) : ofJson(input), (given) =>
    Result.map(ofArguments(texts), (named) => ({ ...given, ...named }))
  )
