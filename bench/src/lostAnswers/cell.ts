/** One cell of the table: a call that pays, through one fault, and the same call again if it failed. */
import { randomUUID } from "node:crypto"
import { findPackageJSON } from "node:module"
import { readJson } from "../../../tools/workspace.ts"
import type { Certificate } from "../calls/tls.ts"
import { startFaulty } from "../support/faultyServer.ts"
import { type Case, type CaseName, cases } from "./cases.ts"
import { type Contender, keyOf } from "./Contender.ts"
import { type Told, toldBy } from "./verdict.ts"

/** The end of a call. */
interface End {
  readonly told: Told
  /** The keys of all requests to pay until then. */
  readonly keys: ReadonlyArray<string>
  /** The payments until then. */
  readonly payments: number
}

export interface Cell {
  readonly title: string
  readonly name: CaseName
  readonly first: End
  /** After an error, the program calls again. */
  readonly again?: End
}

/** How long a call may take, in milliseconds, beside the delay of a slow answer. */
const patience = 12_000

const waiting = (milliseconds: number) =>
  new Promise<Told>((resolve) => setTimeout(() => resolve({ _tag: "Waiting" }), milliseconds).unref())

const titleOf = ({ call, package: name }: Contender, base: string): string =>
  `${name} ${readJson(findPackageJSON(name, base)!).version}: ${call}`

/** `base` is the module that imports the contender's package. Nothing is measured if the call takes no key to give it. */
export const measure = async (
  contender: Contender,
  name: CaseName,
  { base, certificate }: { readonly base: string; readonly certificate: Certificate | undefined }
): Promise<Cell | undefined> => {
  const { fault, isKeyed, isLasting = false }: Case = cases[name]
  if (isKeyed === true && !contender.takesKey) return undefined
  const world = await contender.start()
  const keys: Array<string> = []
  const server = await startFaulty({
    service: world.service,
    certificate,
    faultOf: (request) => {
      if (!contender.pays.test(request.path)) return undefined
      keys.push(keyOf(request)?.join(" ") ?? "none")
      return keys.length === 1 || isLasting ? fault : undefined
    }
  })
  const pay = await world.connect(server.origin)
  const key = isKeyed === true ? randomUUID() : undefined
  const limit = patience + (name === "slow" ? 35_000 : 0)
  const call = async (): Promise<End> => {
    const ended = pay(key).then((): Told => ({ _tag: "Paid" }), toldBy)
    const told = await Promise.race([ended, waiting(limit)])
    return { told, keys: [...keys], payments: await world.payments() }
  }
  const first = await call()
  // A call that fails without a fault is called wrongly, and its row would say nothing.
  if (name === "none" && (first.told._tag !== "Paid" || first.payments !== 1)) {
    throw new Error(`${titleOf(contender, base)} without a fault: ${JSON.stringify(first)}`)
  }
  const again = first.told._tag === "Paid" ? undefined : await call()
  await server.close()
  await world.close?.()
  return { title: titleOf(contender, base), name, first, ...(again && { again }) }
}
