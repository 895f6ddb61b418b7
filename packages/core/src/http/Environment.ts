/**
 * The custody service that the SDK talks to. Specification: "Environments and base address".
 *
 * @since 0.1.0
 */
import * as Result from "effect/Result"
import { ConfigurationInvalid } from "../errors/SdkError.ts"

/**
 * A custody service and its base address. Every layer of the SDK checks its environment with {@link validate}.
 *
 * @since 0.1.0
 * @category models
 */
export interface Environment {
  readonly kind: "production" | "sandbox" | "other" | "emulator"
  /** The base address that every path of the API is relative to. */
  readonly baseUrl: string
  /** The parts of the address of a `production` or `sandbox` environment. */
  readonly organization?: Organization | undefined
}

interface Organization {
  /** The organization's assigned subdomain: one DNS label. */
  readonly subdomain: string
  /** The service's production or sandbox host, without scheme. */
  readonly host: string
}

const ofOrganization =
  (kind: "production" | "sandbox") =>
  (organization: Organization): Environment => ({
    kind,
    baseUrl: `https://${organization.subdomain}.${organization.host}/api/integration`,
    organization
  })

/**
 * The production service of an organization.
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
export const production: (organization: Organization) => Environment = ofOrganization("production")

/**
 * The sandbox of an organization, with the sandbox's host. See {@link production}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const sandbox: (organization: Organization) => Environment = ofOrganization("sandbox")

const make = (kind: "other" | "emulator", url: string | URL): Environment => ({
  kind,
  baseUrl: String(url).replace(/\/+$/, "")
})

/**
 * A service at any address. `url` is the whole base address. On the loopback, plain `http` is accepted. The SDK treats
 * the service as a real one, also on the loopback, where a tunnel may lead to it: see {@link emulator}.
 *
 * @since 0.1.0
 * @category constructors
 */
export const at = (url: string | URL): Environment => make("other", url)

/**
 * An emulator at an address of the loopback. The program says so, because neither an address nor an answer shows it: a
 * tunnel also has an address of the loopback, and leads to a real service.
 *
 * At an emulator, calls need no confirmed endpoint, and the ledger trusts that the emulator's history shows notes and
 * amounts as they were sent. Never name a real service so: payments may be made twice, or wrongly.
 *
 * @example
 * ```ts
 * import { Environment } from "@effect-custody/core"
 *
 * const environment = Environment.emulator("http://127.0.0.1:4010/api/integration")
 * Environment.isReal(environment) // false
 * ```
 *
 * @since 0.1.0
 * @category constructors
 */
export const emulator = (url: string | URL): Environment => make("emulator", url)

/** `true` for a host on this machine. Only such a host may be reached without TLS. */
const isLoopback = (hostname: string): boolean =>
  hostname === "localhost" || hostname === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(hostname)

const label = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
const isSubdomain = RegExp(`^${label}$`, "i")
const isHost = RegExp(String.raw`^${label}(?:\.${label})*(?::\d{1,5})?$`, "i")
const isOrganizationUrl = RegExp(String.raw`^https://${label}(?:\.${label})+(?::\d{1,5})?/api/integration$`, "i")

/** Says which part of an organization's address is wrong. Does not repeat the part. */
const findOrganizationFault = ({ baseUrl, kind, organization }: Environment) => {
  if (kind === "other" || kind === "emulator") return undefined
  if (organization !== undefined && !isSubdomain.test(organization.subdomain)) {
    return ["environment.subdomain", "must be one DNS label, such as acme, without a dot"] as const
  }
  if (organization !== undefined && !(isHost.test(organization.host) && URL.canParse(baseUrl))) {
    const reason = "must be a host without a scheme, such as custody.example, perhaps with a port up to 65535"
    return ["environment.host", reason] as const
  }
  return isOrganizationUrl.test(baseUrl) && URL.canParse(baseUrl)
    ? undefined
    : (["environment", "must be https://<subdomain>.<host>/api/integration"] as const)
}

/** Says what is wrong with an address. Does not repeat the address, which may contain a password. */
const findFault = ({ baseUrl, kind }: Environment): string | undefined => {
  if (!URL.canParse(baseUrl)) return "must be an absolute URL, such as https://host/path"
  const { hostname, password, protocol, username } = new URL(baseUrl)
  if (protocol !== "https:" && protocol !== "http:") return `the scheme must be https, not ${protocol.slice(0, -1)}`
  if (protocol === "http:" && !isLoopback(hostname)) {
    return "http would send tokens in clear: use https (http is for the loopback only)"
  }
  if (kind === "emulator" && !isLoopback(hostname)) {
    return "an emulator is on this machine: at any other address may be a real service (Environment.at)"
  }
  if (username !== "" || password !== "") return "an address must not hold a user name or password"
  // A URL parser drops some white space, and reads backslashes as slashes. Requests use the address as it is written.
  if (!/^https?:\/\/[^/]/i.test(baseUrl) || /[\s\p{Cc}\\]/u.test(baseUrl)) {
    return "must be written as https://host/path, without blanks and backslashes"
  }
  // Even an empty query or fragment is a fault, because the path of a request would become part of it.
  return /[?#]/.test(baseUrl) ? "a base address has no query and no fragment" : undefined
}

/**
 * Checks that a token may be sent to an environment. Returns the same environment, or a {@link ConfigurationInvalid}
 * that says what is wrong. HTTPS is required except on the loopback, so that no token travels unencrypted.
 *
 * @since 0.1.0
 * @category validation
 */
export const validate = (environment: Environment): Result.Result<Environment, ConfigurationInvalid> => {
  const [option, reason] = findOrganizationFault(environment) ?? ["environment", findFault(environment)]
  return reason === undefined ? Result.succeed(environment) : Result.fail(new ConfigurationInvalid({ option, reason }))
}

/**
 * `true` if calls may move real money: for every environment that the program does not declare an {@link emulator}.
 *
 * @since 0.1.0
 * @category predicates
 */
export const isReal = ({ kind }: Environment): boolean => kind !== "emulator"
