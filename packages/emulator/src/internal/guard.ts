/** Who may look at and control an emulator: programs and pages of the same machine, and no page from elsewhere. */
import type * as HttpServerRequest from "effect/http/HttpServerRequest"
import * as Option from "effect/Option"

const isLoopback = (address: string): boolean => /^(?:::1|(?:::ffff:)?127(?:\.\d{1,3}){3})$/.test(address)

/** A name that leads nowhere else: a page that had its own name point here is not served. */
const isLocalName = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i.test(host)

/** Why a request may not, if it may not. */
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
