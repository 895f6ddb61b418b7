/** Copies of a ledger's file: what a backup is, and what comes back from it. */
import * as Fs from "node:fs"
import { DatabaseSync } from "node:sqlite"

/** Copies the file of a ledger that is in use. */
export const copy = (filename: string, to: string): void => {
  const database = new DatabaseSync(filename)
  database.exec(`VACUUM INTO '${to}'`)
  database.close()
}

const attemptsOf = (filename: string): ReadonlyMap<string, number> => {
  const database = new DatabaseSync(filename)
  const rows = database
    .prepare("SELECT reference, attempt FROM payouts UNION ALL SELECT reference, attempt FROM archived_payouts")
    .all()
  database.close()
  return new Map(rows.map(({ attempt, reference }) => [String(reference), Number(attempt)]))
}

/** Puts a copy in the place of a file that no process has open. Returns the payouts whose last attempts it forgets. */
export const restore = (from: string, filename: string): ReadonlyArray<string> => {
  const [before, after] = [attemptsOf(filename), attemptsOf(from)]
  for (const suffix of ["", "-wal", "-shm"]) Fs.rmSync(`${filename}${suffix}`, { force: true })
  Fs.copyFileSync(from, filename)
  return [...before].flatMap(([reference, attempt]) => ((after.get(reference) ?? 0) < attempt ? [reference] : []))
}
