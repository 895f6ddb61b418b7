/**
 * Every cell of the contenders in one module, one after the other, in a process of their own: some packages have one
 * address for all of their clients. Sends each cell to its parent. The arguments are the module and whose cases are tried.
 */
import { pathToFileURL } from "node:url"
import { readCertificate, trust } from "../calls/tls.ts"
import { type CaseName, ofAgents, ofPrograms } from "./cases.ts"
import { measure } from "./cell.ts"
import type { Contender } from "./Contender.ts"

trust()
const [module = "", callers] = process.argv.slice(2)
const base = pathToFileURL(module).href
const { contenders }: { readonly contenders: ReadonlyArray<Contender> } = await import(base)
const setting = { base, certificate: readCertificate() }
const isOfAgents = callers === "agents"
const everyName = Object.keys(isOfAgents ? ofAgents : ofPrograms) as ReadonlyArray<CaseName>
// Waiting takes as long over TLS. Agents are tried over TLS alone.
const names = everyName.filter((name) => isOfAgents || setting.certificate === undefined || name !== "slow")
for (const contender of contenders) {
  for (const name of names) process.send!(await measure(contender, name, setting))
}
process.disconnect()
process.exit()
