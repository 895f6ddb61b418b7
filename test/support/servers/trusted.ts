/** A certificate of the loopback that every connection of this thread trusts. */
import * as Tls from "node:tls"
import { selfSigned } from "./selfSigned.ts"

export const trusted = selfSigned()

Tls.setDefaultCACertificates([...Tls.getCACertificates("default"), trusted.cert])
