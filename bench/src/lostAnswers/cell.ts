/** One cell of the table: a call that pays, through one fault, and the same call again if it failed. */
import { randomUUID } from "node:crypto"
import { findPackageJSON } from "node:module"
import { readJson } from "../../../tools/workspace.ts"
import type { Certificate } from "../calls/tls.ts"
import { startFaulty } from "../support/faultyServer.ts"
import { type Case, type CaseName, cases } from "./cases.ts"
import type { Contender, Key } from "./Contender.ts"
import { patience, type Told, toldBy } from "./verdict.ts"

/** The end of a call. */
interface End {
  readonly told: Told
  /** The keys of all requests to pay until then. */
  readonly keys: ReadonlyArray<Key>
  /** The payments until then. */
  readonly payments: number
}

export interface Measured {
  readonly title: string
  readonly name: CaseName
  /** The program gave the call a key. */
  readonly isKeyed: boolean
  readonly first: End
  /** After an error, or if it heard nothing, the caller calls again. */
  readonly again?: End
}

export type Cell =
  | Measured
  | (Pick<Measured, "title" | "name"> & { /** Why there is no such call. */ readonly none: string })

/** In milliseconds. The first call of a process, which has no fault, loads the modules. */
const longer: Partial<Record<CaseName, number>> = { none: 60_000, slow: 35_000 }

const waiting = (milliseconds: number) =>
  new Promise<Told>((resolve) => setTimeout(() => resolve({ _tag: "Waiting" }), milliseconds).unref())

const titleOf = ({ call, package: name }: Contender, base: string): string =>
  `${name} ${readJson(findPackageJSON(name, base)!).version}: ${call}`

/** `base` is the module that imports the contender's package. */
export const measure = async (
  contender: Contender,
  name: CaseName,
  { base, certificate }: { readonly base: string; readonly certificate: Certificate | undefined }
): Promise<Cell> => {
  const { programKey } = contender
  const { fault, isLasting = false, isUnheard = false, hasNewKey = false, ...given }: Case = cases[name]
  const title = titleOf(contender, base)
  if ((given.isKeyed === true || hasNewKey) && typeof programKey === "object") return { title, name, ...programKey }
  const isKeyed = given.isKeyed ?? programKey === "required"
  const world = await contender.start()
  const keys: Array<Key> = []
  const server = await startFaulty({
    service: world.service,
    certificate,
    faultOf: (request) => {
      if (!contender.pays.test(request.path)) return undefined
      keys.push(contender.keyOf(request) ?? { name: "none", value: "" })
      return keys.length === 1 || isLasting ? fault : undefined
    }
  })
  const pay = await world.connect(server.origin)
  const newKey = () => (isKeyed ? randomUUID() : undefined)
  const key = newKey()
  const limit = patience + (longer[name] ?? 0)
  const call = async (key: string | undefined): Promise<End> => {
    const ended = pay(key).then((): Told => ({ _tag: "Paid" }), toldBy)
    const told = await Promise.race([ended, waiting(limit)])
    const payments = await world.payments()
    return { told, keys: [...keys], payments }
  }
  const first = await call(key)
  // A call that fails without a fault is called wrongly, and its row would say nothing.
  if (name === "none" && (first.told._tag !== "Paid" || first.payments !== 1)) {
    throw new Error(`${title} without a fault: ${JSON.stringify(first)}`)
  }
  const isEnded = first.told._tag === "Paid" && !isUnheard
  const again = isEnded ? undefined : await call(hasNewKey ? newKey() : key)
  await pay.close?.()
  await server.close()
  await world.close?.()
  return { title, name, isKeyed, first, ...(again && { again }) }
}
