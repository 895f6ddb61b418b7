/** Allows only programs and pages of the same machine, and no page of another origin. */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

export const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(address)

/** A name that always means this machine. This refuses pages that rebind their own DNS name to the loopback. */
const isLocalName = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host)

/** Why a request to the API is refused, if it is: its Host is a name that somebody may have rebound to the loopback. */
export const hostRefusal = ({ headers }: Pick<HttpServerRequest.HttpServerRequest, "headers">): string | undefined =>
  isLocalName(headers["host"] ?? "") ? undefined : "The Host must be a name of this machine"

/** Why a request to the controls is refused, if it is. */
export const refusal = ({
  headers,
  remoteAddress
}: Pick<HttpServerRequest.HttpServerRequest, "headers" | "remoteAddress">): string | undefined => {
  if (!Option.exists(remoteAddress, isLoopback)) return "Controls are for the same machine only"
  const { host = "", origin } = headers
  if (!isLocalName(host)) return "Controls are for names of the same machine only"
  if (origin !== undefined && origin !== `http://${host}`) return "Controls are for the emulator's own page only"
  return undefined
}
