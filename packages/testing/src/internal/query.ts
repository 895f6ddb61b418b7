import type * as HttpClientRequest from "effect/http/HttpClientRequest"
import * as UrlParams from "effect/http/UrlParams"

/** The query parameters, from the URL and from the request. */
export const queryOf = ({
  url,
  urlParams
}: HttpClientRequest.HttpClientRequest): ReadonlyArray<readonly [name: string, value: string]> => [
  ...(URL.canParse(url) ? new URL(url).searchParams : []),
  ...new URLSearchParams(UrlParams.toString(urlParams))
]
