/**
 * Every host is the benchmark's server in a process that imports this first: the hosts of vendors are fixed in their
 * tools. No request of such a process leaves the machine, as far as it uses TLS.
 */
import * as Https from "node:https"
import { syncBuiltinESMExports } from "node:module"
import Tls from "node:tls"
import { trust } from "../calls/tls.ts"

const variable = "CUSTODY_BENCH_SERVER"

/** All connections of this process and of its children go to this server from now on. */
export const leadTo = (origin: string): void => {
  process.env[variable] = origin
  // Its free connections lead to the server before, under the same name.
  Https.globalAgent.destroy()
}

// A proxy would be another way out.
for (const name of ["http_proxy", "https_proxy", "all_proxy"]) {
  delete process.env[name]
  delete process.env[name.toUpperCase()]
}
trust()

const { connect } = Tls
const led = (options: Tls.ConnectionOptions, ...rest: ReadonlyArray<() => void>) => {
  if (typeof options !== "object") throw new Error("this benchmark only knows connections by options")
  const server = new URL(process.env[variable]!)
  // The certificate is that of `localhost`.
  return connect({ ...options, host: server.hostname, port: Number(server.port), servername: "localhost" }, ...rest)
}
Tls.connect = led as typeof connect
syncBuiltinESMExports()
