/**
 * Which custody service the SDK talks to.
 *
 * Specification: "Environments and base address".
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { ConfigurationInvalid } from "./SdkError.ts"

/** One label of a host name, as DNS has them. */
const Subdomain = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(/^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/i, {
      message: "subdomain must be one DNS label, the organization's assigned subdomain"
    })
  )
)

/** Labels with dots between them, and perhaps a port. */
const Host = Schema.String.pipe(
  Schema.check(
    Schema.isPattern(
      /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)*(?::\d{1,5})?$/i,
      { message: "host must be a host name such as custody.example, without scheme or path" }
    )
  )
)

/**
 * A custody service and its base address. Make one with {@link production}, {@link sandbox} or {@link local}.
 *
 * It is plain data. {@link validate} checks it; every layer of the SDK does that before anything else.
 *
 * @since 0.1.0
 * @category models
 */
export interface Environment {
  readonly kind: "production" | "sandbox" | "local"
  /** The base address that every path of the API is relative to. */
  readonly baseUrl: string
  /** The organization's subdomain and the service's host, where the address is made of them. */
  readonly organization: { readonly subdomain: string; readonly host: string } | undefined
}

/**
 * Where the API of an organization is: its own subdomain of the service's host.
 *
 * @since 0.1.0
 * @category models
 */
export interface Organization {
  /** The organization's assigned subdomain. */
  readonly subdomain: string
  /** The service's production or sandbox host, without scheme. */
  readonly host: string
}

const ofOrganization = (kind: "production" | "sandbox", { host, subdomain }: Organization): Environment => ({
  kind,
  baseUrl: `https://${subdomain}.${host}/api/integration`,
  organization: { subdomain, host }
})

/**
 * The production service of an organization: `https://<subdomain>.<host>/api/integration`.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 *
 * const environment = Environment.production({ subdomain: "acme", host: "custody.example" })
 * environment.baseUrl // "https://acme.custody.example/api/integration"
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const production = (organization: Organization): Environment => ofOrganization("production", organization)

/**
 * The sandbox of an organization: `https://<subdomain>.<host>/api/integration`, with the sandbox's host.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 *
 * const environment = Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const sandbox = (organization: Organization): Environment => ofOrganization("sandbox", organization)

/**
 * A service at any address, such as the emulator's. `url` is the whole base address. On the loopback, plain `http` is
 * accepted, and endpoints whose wire is assumed may be called without confirmation.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 *
 * const environment = Environment.local("http://127.0.0.1:4010/api/integration")
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const local = (url: string | URL): Environment => ({
  kind: "local",
  baseUrl: withoutSlashes(String(url)),
  organization: undefined
})

/** A loop, because /\/+$/ takes quadratic time on a long run of slashes that is not at the end. */
const withoutSlashes = (url: string): string => {
  let end = url.length
  while (url[end - 1] === "/") end--
  return url.slice(0, end)
}

/** The addresses that never leave this machine: the only ones that may be reached without TLS. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

const invalid = (option: string, reason: string) => Result.fail(new ConfigurationInvalid({ option, reason }))

/**
 * Checks that a token may be sent to an environment. Returns the same environment, or a {@link ConfigurationInvalid}
 * that says what is wrong. HTTPS is required except on the loopback: a token never travels in clear.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = (environment: Environment): Result.Result<Environment, ConfigurationInvalid> => {
  const { baseUrl, kind, organization } = environment
  if (organization !== undefined) {
    const subdomain = Schema.decodeResult(Subdomain)(organization.subdomain)
    if (Result.isFailure(subdomain)) return invalid("environment.subdomain", subdomain.failure.message)
    const host = Schema.decodeResult(Host)(organization.host)
    if (Result.isFailure(host)) return invalid("environment.host", host.failure.message)
    if (kind === "local" || baseUrl !== ofOrganization(kind, organization).baseUrl) {
      return invalid("environment.url", "must be the organization's own: use Environment.production or .sandbox")
    }
  }
  // The address is not repeated, because it may contain a password.
  if (!URL.canParse(baseUrl)) {
    return organization === undefined
      ? invalid("environment.url", "must be an absolute URL, such as https://host/path")
      : invalid("environment.host", "must be a host name such as custody.example, and its port at most 65535")
  }
  const url = new URL(baseUrl)
  if (url.protocol !== "https:" && url.protocol !== "http:") {
    return invalid("environment.url", `the scheme must be https, not ${url.protocol.slice(0, -1)}`)
  }
  if (url.protocol === "http:" && !isLoopback(url.hostname)) {
    return invalid("environment.url", "http would send tokens in clear: use https (http is for the loopback only)")
  }
  if (url.username !== "" || url.password !== "") {
    return invalid("environment.url", "an address must not hold a user name or password")
  }
  // A URL parser drops some white space and reads backslashes as slashes, but a request goes to the address as it is
  // written.
  if (!/^https?:\/\/[^/]/i.test(baseUrl) || /[\s\p{Cc}\\]/u.test(baseUrl)) {
    return invalid("environment.url", "must be written as https://host/path, without blanks and backslashes")
  }
  // An empty query or fragment too: what is appended to the address would become part of it.
  if (/[?#]/.test(baseUrl)) {
    return invalid("environment.url", "a base address has no query and no fragment")
  }
  return Result.succeed(environment)
}

/**
 * Whether real money may be at the other end: true except for a `local` address on the loopback.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isReal = (environment: Environment): boolean =>
  environment.kind !== "local" || !isLoopback(new URL(environment.baseUrl).hostname)
