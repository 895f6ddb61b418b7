/** TLS of the benchmark: a certificate that its processes get from their environment. */
import * as Tls from "node:tls"

/** How the service is called: HTTP/1.1 without TLS, with TLS, or HTTP/2 (and HTTP/1.1 if the client wants it). */
export type Service = "http" | "https" | "h2"

export interface Certificate {
  readonly key: string
  readonly cert: string
}

const variable = "CUSTODY_BENCH_CERTIFICATE"

export const toEnvironment = (certificate: Certificate | undefined): Readonly<Record<string, string>> =>
  certificate === undefined ? {} : { [variable]: JSON.stringify(certificate) }

export const readCertificate = (): Certificate | undefined => {
  const text = process.env[variable]
  return text === undefined ? undefined : JSON.parse(text)
}

/** Trusts the certificate in this process. */
export const trust = (): void => {
  const certificate = readCertificate()
  if (certificate !== undefined) {
    Tls.setDefaultCACertificates([...Tls.getCACertificates("default"), certificate.cert])
  }
}
