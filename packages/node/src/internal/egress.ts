/**
 * How connections leave the network: the proxy, the certificate authorities to trust, and the client's own certificate.
 */
import { ConfigurationInvalid } from "@effect-custody/core/SdkError"
import * as IpNetwork from "effect/net/IpNetwork"
import * as NetAddress from "effect/net/NetAddress"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import { X509Certificate } from "node:crypto"
import * as Tls from "node:tls"

/** The options of egress. The layer reads them once. */
export interface Options {
  /**
   * The address of a proxy, such as `http://user:password@proxy.example:3128`. Connections to https origins go through a
   * tunnel that the proxy opens (`CONNECT`). No error repeats the address. Default: no proxy.
   */
  readonly proxy?: Redacted.Redacted | undefined
  /**
   * The hosts to reach without the proxy, as `NO_PROXY` lists them: `localhost,.internal.example,api.example:8443`. A name
   * stands for its subdomains too, `10.0.0.0/8` for the addresses of a network, and `*` for every host. Default: none.
   */
  readonly noProxy?: string | undefined
  /** Certificate authorities to trust in addition to Node's own: one or more certificates as PEM. */
  readonly ca?: string | undefined
  /** The certificate that the client shows to a service that asks for one, and its private key, as PEM. */
  readonly clientCertificate?:
    | {
        /** The certificate, followed by any intermediate certificates. */
        readonly certificate: string
        readonly key: Redacted.Redacted
        readonly passphrase?: Redacted.Redacted | undefined
      }
    | undefined
}

/** A proxy that opens tunnels. */
export interface Proxy {
  readonly isSecure: boolean
  readonly host: string
  readonly port: number
  /** The value of `Proxy-Authorization`. */
  readonly authorization: Redacted.Redacted | undefined
}

/** Checked options. */
export interface Egress {
  /** The proxy for a host; `undefined` for a direct connection. */
  readonly proxyFor: (host: string, port: number) => Proxy | undefined
  /** The TLS certificates; `undefined` for Node's own. */
  readonly secureContext: Tls.SecureContext | undefined
}

/** The host of an address, without the brackets of an IPv6 address. */
export const bareHost = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

const invalid = (option: string, reason: string) => Result.fail(new ConfigurationInvalid({ option, reason }))

/** Reads the address of a proxy. An address without a scheme means http, as in other programs. */
const parseProxy = (address: string): Proxy | undefined => {
  const url = URL.parse(address.includes("://") ? address : `http://${address}`)
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === "") return undefined
  const isSecure = url.protocol === "https:"
  let authorization: Redacted.Redacted | undefined
  if (url.username !== "" || url.password !== "") {
    try {
      const login = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
      authorization = Redacted.make(`Basic ${Buffer.from(login).toString("base64")}`)
    } catch {
      return undefined
    }
  }
  return { isSecure, host: bareHost(url.hostname), port: Number(url.port || (isSecure ? 443 : 80)), authorization }
}

const isIn = (network: IpNetwork.IpNetwork, host: string): boolean => {
  const address = Result.getOrUndefined(NetAddress.ipFromString(host))
  return address !== undefined && IpNetwork.contains(network, address)
}

/** Returns a function that checks whether a list such as `NO_PROXY` contains a host. */
const makeExemption = (list: string): ((host: string, port: number) => boolean) => {
  const entries = list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map((entry) => {
      const network = Result.getOrUndefined(IpNetwork.fromString(entry))
      if (network !== undefined) return (host: string) => isIn(network, host)
      const [, name = entry, port] = /^(\[.*\]|[^:]*)(?::(\d+))?$/.exec(entry) ?? []
      const domain = bareHost(name).replace(/^\*?\./, "")
      return (host: string, at: number) =>
        (port === undefined || Number(port) === at) &&
        (domain === "*" || host === domain || host.endsWith(`.${domain}`))
    })
  return (host, port) => entries.some((isFor) => isFor(host, port))
}

const isCertificates = (pem: string): boolean => {
  try {
    return new X509Certificate(pem).raw.length > 0
  } catch {
    return false
  }
}

/** Checks the options. The error does not repeat them. */
export const make = (options: Options): Result.Result<Egress, ConfigurationInvalid> => {
  const { ca, clientCertificate: own } = options
  const proxy = options.proxy && parseProxy(Redacted.value(options.proxy))
  if (options.proxy !== undefined && proxy === undefined) {
    return invalid("proxy", "must be the address of a proxy, http or https; HTTPS_PROXY sets it too")
  }
  if (ca !== undefined && !isCertificates(ca)) return invalid("ca", "must be certificates as PEM")
  const isExempt = makeExemption(options.noProxy ?? "")
  const proxyFor: Egress["proxyFor"] = (host, port) => (isExempt(host, port) ? undefined : proxy)
  if (ca === undefined && own === undefined) return Result.succeed({ proxyFor, secureContext: undefined })
  try {
    const secureContext = Tls.createSecureContext({
      ...(ca === undefined ? {} : { ca: [...Tls.getCACertificates(), ca] }),
      ...(own === undefined ? {} : { cert: own.certificate, key: Redacted.value(own.key) }),
      ...(own?.passphrase === undefined ? {} : { passphrase: Redacted.value(own.passphrase) })
    })
    return Result.succeed({ proxyFor, secureContext })
  } catch {
    return invalid("clientCertificate", "must be a certificate and its private key as PEM, with the key's passphrase")
  }
}
