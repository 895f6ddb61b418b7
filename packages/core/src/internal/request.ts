/** From an endpoint's input to the request on the wire. Pure. */
import * as HttpBody from "effect/http/HttpBody"
import * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"
import type { Encoded, EncodedBody, Route } from "../Operation.ts"
import type { Differences } from "../WireContract.ts"
import * as SecretRequest from "./secretRequest.ts"
import * as Upload from "./upload.ts"

/** The new name of a key, or the name itself if it has no new one. */
export const renameOf = (names: Readonly<Record<string, string>>, name: string): string =>
  Object.hasOwn(names, name) ? (names[name] ?? name) : name

const renamed = (
  fields: Readonly<Record<string, unknown>>,
  names: Readonly<Record<string, string>> | undefined
): Record<string, unknown> => {
  const present = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    names === undefined ? present : present.map(([name, value]) => [renameOf(names, name), value])
  )
}

const filled = (path: string, params: Readonly<Record<string, string>>): string =>
  path.replaceAll(/:([A-Za-z]\w*)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))

const bodyOf = (
  body: EncodedBody,
  names: Readonly<Record<string, string>> | undefined,
  isSecret: boolean
): HttpBody.HttpBody => {
  switch (body._tag) {
    case "None":
      return HttpBody.empty
    case "Json": {
      const fields = renamed(body.fields, names)
      return isSecret ? SecretRequest.body(fields) : HttpBody.jsonUnsafe(fields)
    }
    case "Multipart":
      return Upload.toBody(renamed(body.fields, names))
  }
}

/** The upload of an input that cannot be sent, because it was read before and can be read once only. */
export const spent = ({ body }: Encoded): string | undefined =>
  body._tag === "Multipart" ? Upload.spent(body.fields) : undefined

/** The request of a route for an encoded input, as it goes over the wire under the given differences. A secret body is not printed. */
export const make = (
  { method, path }: Route,
  encoded: Encoded,
  differences: Differences,
  hasSecretBody: boolean
): HttpClientRequest.HttpClientRequest =>
  HttpClientRequest.make(differences.method ?? method)(filled(differences.path ?? path, encoded.params), {
    urlParams: UrlParams.fromInput(renamed(encoded.query, differences.query) as UrlParams.Input),
    body: bodyOf(encoded.body, differences.body, hasSecretBody),
    acceptJson: true
  })
