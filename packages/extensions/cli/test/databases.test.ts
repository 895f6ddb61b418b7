import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem } from "effect"
import { custody, inDirectory } from "./runCustody.ts"

const postgres = "postgres://127.0.0.1:1/db"

describe("the database of a session or a ledger", () => {
  const encode = "percent-encode the password"
  const wrong: ReadonlyArray<readonly [url: string, error: string]> = [
    ["postgres://u:s3cret/p@ss@127.0.0.1:1/db", encode],
    ["postgres://u:1/s3cret@127.0.0.1:1/db", encode],
    ["postgres://u:1#s3cret@127.0.0.1:1/db", encode],
    ["postgres://u:s3cret%zz@127.0.0.1:1/db", encode],
    ["s3cret", encode],
    ["u:s3cret@127.0.0.1/db", "must begin with postgres://"],
    ["mysql://u:s3cret@127.0.0.1/db", "must begin with postgres://"],
    ["postgres://u:s3cret@127.0.0.1:1/db", "ECONNREFUSED"]
  ]
  it.live.each(wrong)("every command refuses the address %s without its password", ([url, error]) =>
    Effect.gen(function* () {
      const file = `${yield* inDirectory}/june.csv`
      yield* FileSystem.FileSystem.use((fileSystem) =>
        fileSystem.writeFileString(file, "reference,clientId,assetId,to,amount\na,alice,usdc,0xa,1\n")
      )
      for (const command of [
        ["session", "status"],
        ["session", "doctor"],
        ["payouts", "run", file, "--yes"],
        ["payouts", "list"]
      ]) {
        for (const { fails, said } of [
          yield* custody([...command, "--database-url", url]),
          yield* custody(command, { CUSTODY_SESSION_URL: url, CUSTODY_LEDGER_URL: url })
        ]) {
          assert.isTrue(fails, command.join(" "))
          assert.include(said, error, command.join(" "))
          assert.notInclude(said, "s3cret")
        }
      }
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("a session may be in Redis, and a ledger may not", () =>
    Effect.gen(function* () {
      const redis = ["--database-url", "redis://u:s3cret@127.0.0.1:1"]
      const session = yield* custody(["session", "status", ...redis])
      assert.include(session.said, "127.0.0.1:1 cannot be opened (ECONNREFUSED)")
      const ledger = yield* custody(["payouts", "status", ...redis])
      assert.include(ledger.said, "must begin with postgres:// or postgresql://")
      assert.notInclude(session.said + ledger.said, "s3cret")
    }).pipe(Effect.provide(NodeServices.layer))
  )

  it.live("an option wins over a variable, and a file and a database at once are refused", () =>
    Effect.gen(function* () {
      const env = { CUSTODY_SESSION_URL: postgres, CUSTODY_LEDGER_URL: postgres }
      assert.include((yield* custody(["session", "status", "--session-file", "s.db"], env)).said, "there is no s.db")
      assert.include((yield* custody(["payouts", "list", "--ledger", "l.db"], env)).said, "there is no ledger l.db")
      const both = /both a file \(\w\.db\) and a database are named/
      assert.match((yield* custody(["session", "status"], { ...env, CUSTODY_SESSION_FILE: "s.db" })).said, both)
      const ledgers = ["--ledger", "l.db", "--database-url", postgres]
      assert.match((yield* custody(["payouts", "list", ...ledgers])).said, both)
      assert.include((yield* custody(["session", "status"])).said, "no session is named: use --session-file")
    }).pipe(Effect.provide(NodeServices.layer))
  )
})
