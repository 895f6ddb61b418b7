/**
 * Every cell of the contenders in one module, its argument, one after the other, in a process of their own: some packages
 * have one address for all of their clients. Sends each cell to its parent.
 */
import { pathToFileURL } from "node:url"
import { readCertificate, trust } from "../calls/tls.ts"
import { type CaseName, cases } from "./cases.ts"
import { measure } from "./cell.ts"
import type { Contender } from "./Contender.ts"

trust()
const base = pathToFileURL(process.argv[2]!).href
const { contenders }: { readonly contenders: ReadonlyArray<Contender> } = await import(base)
const setting = { base, certificate: readCertificate() }
const everyName = Object.keys(cases) as ReadonlyArray<CaseName>
// Waiting takes as long over TLS.
const names = everyName.filter((name) => setting.certificate === undefined || name !== "slow")
for (const contender of contenders) {
  for (const name of names) process.send!(await measure(contender, name, setting))
}
process.disconnect()
process.exit()
