/** A contender: what makes the calls, and the calls that it has to make. */
import type { JobName } from "./jobs.ts"

/** Makes so many calls of a job, so many at a time. Fails if one of them does not end as the job says. */
export type Run = (job: JobName, calls: number, inFlight: number) => Promise<void>

/** How many connections a contender has, where it can be told. */
export const connections = 64

/** Gets ready to call the service at an origin. */
export type Contender = (origin: string) => Promise<Run>

type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields => typeof value === "object" && value !== null

const unexpected = (what: string): never => {
  throw new Error(`unexpected ${what}`)
}

/** What a program without schemas does to trust an answer: it looks at the fields that it is about to use. */
export const opened: Readonly<Record<JobName, (envelope: unknown) => unknown>> = {
  read: (envelope) => {
    const data = isObject(envelope) ? envelope["data"] : undefined
    return isObject(data) && typeof data["id"] === "string" ? data : unexpected("vault")
  },
  write: (envelope) => {
    const data = isObject(envelope) ? envelope["data"] : undefined
    return isObject(data) && isTransaction(data) ? data : unexpected("transaction")
  },
  refusal: (body) => {
    const code = isObject(body) ? body["code"] : undefined
    return typeof code === "string" && code === "E40400" ? code : unexpected("error")
  },
  list: (envelope) => {
    const data = isObject(envelope) ? envelope["data"] : undefined
    const items = isObject(data) ? data["items"] : undefined
    return Array.isArray(items) && items.length > 0 && items.every(isTransaction) ? items : unexpected("list")
  }
}

const isTransaction = (row: Fields): boolean =>
  typeof row["id"] === "string" && typeof row["status"] === "string" && /^\d+(\.\d+)?$/.test(String(row["amount"]))

/** A contender that makes one call at a time as a promise. */
export const ofPromises =
  (call: (job: JobName) => Promise<unknown>): Run =>
  async (job, calls, inFlight) => {
    let left = calls
    await Promise.all(
      Array.from({ length: inFlight }, async () => {
        while (left-- > 0) await call(job)
      })
    )
  }
