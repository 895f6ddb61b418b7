/**
 * The payouts that may have been sent, in a SQLite file. Each is written down before it is sent: so a reference that is
 * here is never sent again, by this process or another one, also after a crash.
 *
 * Configuration: `PAYOUTS_FILE`, by default `payouts.db`.
 */
/* oxlint-disable effecttsgo/process-env -- there is no Effect in this file, on purpose. */
import { DatabaseSync } from "node:sqlite"

const database = new DatabaseSync(process.env["PAYOUTS_FILE"] ?? "payouts.db", { timeout: 5_000 })
database.exec("CREATE TABLE IF NOT EXISTS sent (reference TEXT PRIMARY KEY, payout TEXT NOT NULL, since TEXT NOT NULL)")

const insert = database.prepare("INSERT INTO sent VALUES (?, ?, ?) ON CONFLICT DO NOTHING")
const select = database.prepare("SELECT payout, since FROM sent WHERE reference = ?")
const remove = database.prepare("DELETE FROM sent WHERE reference = ?")

/** Writes a payout down, unless its reference is taken already. Whether it was not. */
export const take = (reference: string, payout: ReadonlyArray<string>, since: string): boolean =>
  insert.run(reference, JSON.stringify(payout), since).changes === 1

/** Whether this payout was written down under a reference, or another one, and when. */
export const taken = (reference: string, payout: ReadonlyArray<string>) => {
  const row = select.get(reference) as { readonly payout: string; readonly since: string } | undefined
  return row === undefined ? undefined : { isSame: row.payout === JSON.stringify(payout), since: row.since }
}

/** Gives a reference back: its payout was certainly not made. */
export const release = (reference: string): void => void remove.run(reference)
