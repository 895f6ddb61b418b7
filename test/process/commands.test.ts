import { TokenStore } from "@effect-custody/authentication"
import { TokenStoreSqlite } from "@effect-custody/node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { execFile, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"
import { services } from "../support/servers/dialects/contracts.ts"
import { documents } from "../support/servers/dialects/documents.ts"

const packages = Path.resolve(import.meta.dirname, "../../packages")

/** Runs `custody` with the arguments of a command line. Of the environment it sees what is given, and nothing else of ours. */
const custody = (cwd: string, command: string, env: Readonly<Record<string, string>> = {}) =>
  new Promise<{ readonly code: number; readonly output: string; readonly errors: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [Path.join(packages, "cli/bin/custody.mjs"), ...command.split(" ")],
      { cwd, maxBuffer: 16 * 1024 * 1024, env: { PATH: process.env["PATH"], ...env } },
      (_, output, errors) => resolve({ code: child.exitCode ?? -1, output, errors })
    )
  })

/** In a directory of its own. */
const inDirectory = async (use: (directory: string) => Promise<void>) => {
  const directory = mkdtempSync(Path.join(Os.tmpdir(), "custody-commands-"))
  try {
    await use(directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

describe("custody contract", () => {
  it("tells the 47 operations, a line each, and how many are specified", () =>
    inDirectory(async (directory) => {
      const { code, output } = await custody(directory, "contract list")
      const lines = output.trimEnd().split("\n")
      assert.strictEqual(code, 0)
      assert.strictEqual(lines.length, 47 + 3)
      assert.match(lines[0]!, /^authentication\.generateTokens +POST +\/auth\/generate-tokens +specified$/)
      assert.match(lines[19]!, /^transactions\.send +POST +\/transactions\/send +assumed$/)
      assert.strictEqual(
        lines[48],
        "2 authentication, 4 clients, 4 wallets, 9 vaults, 5 transactions, 2 assets, 7 tokens, 5 nfts, 5 paymentOrders, " +
          "4 fiatGateway"
      )
      assert.strictEqual(lines[49], "47 operations: 3 specified, 44 assumed")
    }))

  it("check tells what a file confirms, and what is still assumed", () =>
    inDirectory(async (directory) => {
      const file = {
        operations: {
          "wallets.get": true,
          "transactions.list": { path: "/history", fields: { clientId: "client_id" } }
        }
      }
      writeFileSync(Path.join(directory, "custody.contract.json"), JSON.stringify(file))
      const { code, output } = await custody(directory, "contract check custody.contract.json")
      assert.strictEqual(code, 0)
      assert.match(output, /^wallets\.get +GET +\/wallets\/:walletId +confirmed$/m)
      assert.match(output, /^transactions\.list +GET +\/history +confirmed with differences +fields$/m)
      assert.include(output, "47 operations: 3 specified, 42 assumed, 1 confirmed, 1 confirmed with differences")
      assert.include(output, "custody.contract.json is valid: it confirms 2 operations")
    }))

  it("check ends with 1 and the place of every error in a file that is wrong, or not there", () =>
    inDirectory(async (directory) => {
      const file = `{ "operations": {\n  "wallet.get": true,\n  "wallets.get": { "path": "/wallets" }\n} }\n`
      writeFileSync(Path.join(directory, "custody.contract.json"), file)
      const wrong = await custody(directory, "contract check custody.contract.json")
      assert.strictEqual(wrong.code, 1)
      assert.strictEqual(wrong.output, "")
      assert.include(
        wrong.errors,
        `custody.contract.json:2:3: operations → wallet.get: there is no operation "wallet.get": "wallets.list"`
      )
      assert.include(
        wrong.errors,
        `custody.contract.json:3:20: operations → wallets.get → path: the path lacks its parameter`
      )

      const missing = await custody(directory, "contract check elsewhere.json")
      assert.strictEqual(missing.code, 1)
      assert.include(missing.errors, "elsewhere.json")
    }))
})

describe("custody contract import", () => {
  it("writes a file that is valid and confirms nothing, and never over another one", () =>
    inDirectory(async (directory) => {
      await custody(directory, "openapi --out theirs.json")
      const { code, output } = await custody(directory, "contract import theirs.json --url https://docs.example")
      assert.strictEqual(code, 0)
      assert.include(output, "47 proposed, 0 undecided, 0 absent")
      assert.notInclude(output, "\u001b")
      const file = JSON.parse(readFileSync(Path.join(directory, "custody.contract.json"), "utf8"))
      assert.match(file.source.document, /^Custody service .* \(OpenAPI 3\.1\.0\)$/)
      assert.strictEqual(file.source.url, "https://docs.example")
      const checked = await custody(directory, "contract check")
      assert.include(checked.output, "custody.contract.json is valid: it confirms 0 operations")

      const again = await custody(directory, "contract import theirs.json")
      assert.strictEqual(again.code, 1)
      assert.include(again.errors, "custody.contract.json exists already")
      const other = await custody(directory, "contract import custody.contract.json --json")
      assert.strictEqual(other.code, 1)
      assert.include(other.errors, "it is not an OpenAPI 3 document")
    }))
})

describe("custody contract probe", () => {
  it("calls the reads alone, after --yes, as often as it may, and gives ids on", () =>
    withEmulator((env, apiKey) =>
      inDirectory(async (directory) => {
        const withKey = { ...env, CUSTODY_API_KEY: apiKey }
        assert.strictEqual((await custody(directory, "session start", withKey)).code, 0)
        assert.strictEqual((await custody(directory, "call clients.create id=alice --yes", env)).code, 0)

        const unasked = await custody(directory, "contract probe", env)
        assert.strictEqual(unasked.code, 1)
        assert.include(unasked.errors, "use --yes. Nothing was done")

        const { code, output } = await custody(directory, "contract probe --yes --json", env)
        const all: ReadonlyArray<{ operation: string; outcome: string; reason: string; records: number }> =
          JSON.parse(output)
        const of = (operation: string) => all.find((one) => one.operation === operation)!
        assert.strictEqual(code, 0)
        assert.strictEqual(all.length, 30)
        assert.deepInclude(of("clients.get"), { outcome: "answered", records: 1 })
        assert.deepInclude(of("wallets.balance"), { outcome: "answered", records: 1 })
        assert.deepInclude(of("tokens.get"), {
          outcome: "not tried",
          reason: "no tokenId is known: use --with tokenId=…"
        })

        const failed = await custody(directory, "contract probe --yes --with tokenId=nobody", env)
        assert.strictEqual(failed.code, 1)
        assert.match(failed.output, /^tokens\.get +failed +NotFound/m)
      })
    ))

  it("is refused in production", () =>
    inDirectory(async (directory) => {
      const env = { CUSTODY_SUBDOMAIN: "acme", CUSTODY_HOST: "custody.example", CUSTODY_ENVIRONMENT: "production" }
      const { code, errors } = await custody(directory, "contract probe --yes", env)
      assert.strictEqual(code, 1)
      assert.include(errors, "probe is for sandboxes only, and this environment is production")
    }))
})

describe("a service, confirmed in an afternoon", () => {
  it("from its document to a call under the contract: import, accept, session, probe, accept, call", () =>
    inDirectory(async (directory) => {
      writeFileSync(Path.join(directory, "openapi.json"), JSON.stringify(documents[0]!.document))
      const spoken = Path.join(directory, "spoken.json")
      writeFileSync(spoken, JSON.stringify(services[0]!.contract))
      await withEmulator(
        async (address, apiKey) => {
          const env = { ...address, CUSTODY_CONTRACT_FILE: "custody.contract.json", USER: "anna" }
          const run = async (command: string, more: Readonly<Record<string, string>> = {}) => {
            const { code, errors, output } = await custody(directory, command, { ...env, ...more })
            assert.strictEqual(code, 0, `${command}: ${errors}`)
            return output
          }
          assert.include(await run("contract import openapi.json"), "47 proposed, 0 undecided, 0 absent")
          // A person places what the document does not say: the envelope, the casing, and the fields of other names.
          const path = Path.join(directory, "custody.contract.json")
          const file = JSON.parse(readFileSync(path, "utf8"))
          const { defaults, operations = {} } = services[0]!.contract
          const proposed = Object.keys(file.proposed).map((name) => [name, operations[name] ?? true])
          writeFileSync(path, JSON.stringify({ ...file, defaults, proposed: Object.fromEntries(proposed) }))
          assert.include(await run("contract check"), "confirms 0 operations, 47 are still proposed (no effect yet)")
          const byDefault = await custody(directory, "contract accept --yes", env)
          assert.include(byDefault.errors, "nothing is confirmed by default")
          await run("contract accept authentication.generateTokens --yes")
          await run("contract accept authentication.refreshToken --yes")
          await run("session start", { CUSTODY_API_KEY: apiKey })
          assert.include(await run("contract probe --yes"), "0 failed")
          assert.include(await run("contract accept --reads --yes"), "30 confirmed by anna")
          await run("contract accept clients.create --yes")
          assert.strictEqual(JSON.parse(await run("call clients.create id=alice --yes")).externalId, "alice")
          assert.match(await run("contract list"), /^clients\.create +POST +\/clients\/create +confirmed +by anna/m)
        },
        ["--contract", spoken]
      )
    }))
})

describe("custody contract diff", () => {
  it("ends with 1 if an operation that is in force is concerned, and with 0 if none is", () =>
    inDirectory(async (directory) => {
      const write = (name: string, path: string) =>
        writeFileSync(
          Path.join(directory, name),
          JSON.stringify({ openapi: "3.0.0", info: { title: "A" }, paths: { [path]: { get: { responses: {} } } } })
        )
      write("a.json", "/api/v1/wallets/{id}")
      write("b.json", "/purses/{id}")
      writeFileSync(Path.join(directory, "contract.json"), JSON.stringify({ operations: { "wallets.get": true } }))
      const without = await custody(directory, "contract diff a.json b.json")
      assert.strictEqual(without.code, 0)
      assert.include(without.output, "without a contract file, none is confirmed")
      assert.include(without.output, "removed  GET /api/v1/wallets/:id\nadded    GET /purses/:id")
      const concerned = await custody(directory, "contract diff a.json b.json --contract contract.json")
      assert.strictEqual(concerned.code, 1)
      assert.include(concerned.output, "removed  GET /api/v1/wallets/:id (wallets.get)")
      assert.include(concerned.errors, "compare again with the new document: wallets.get")
      const other = await custody(directory, "contract diff b.json b.json", { CUSTODY_CONTRACT_FILE: "contract.json" })
      assert.deepStrictEqual(
        [other.code, other.output],
        [1, "0 operations of the document changed; 0 of them are confirmed\n"]
      )
      assert.include(other.errors, "b.json has no operation that contract.json confirms: is it the right document?")
    }))
})

describe("custody openapi", () => {
  it("writes the document of a contract", () =>
    inDirectory(async (directory) => {
      const file = { defaults: { casing: "snake_case" }, operations: { "wallets.get": { path: "/wallet/:walletId" } } }
      writeFileSync(Path.join(directory, "custody.contract.json"), JSON.stringify(file))
      const { code, output } = await custody(directory, "openapi --contract custody.contract.json")
      assert.deepStrictEqual([code, output], [0, "openapi.json: OpenAPI 3.1.0, 47 operations, under the contract\n"])
      const { paths } = JSON.parse(readFileSync(Path.join(directory, "openapi.json"), "utf8"))
      assert.property(paths, "/wallet/{walletId}")
      assert.property(
        paths["/auth/refresh-token"].post.requestBody.content["application/json"].schema.properties,
        "refresh_token"
      )
    }))

  it("refuses a contract that is not valid, and writes nothing", () =>
    inDirectory(async (directory) => {
      writeFileSync(Path.join(directory, "custody.contract.json"), `{"operations":{"walets.get":true}}`)
      const { code, errors } = await custody(directory, "openapi --contract custody.contract.json --out -")
      assert.strictEqual(code, 1)
      assert.include(errors, "walets.get")
    }))

  it("writes the document to openapi.json, to a file of another name, or to the standard output", () =>
    inDirectory(async (directory) => {
      const read = (file: string) => readFileSync(Path.join(directory, file), "utf8")
      const [byItself, named, printed] = await Promise.all([
        custody(directory, "openapi"),
        custody(directory, "openapi --out custody.json"),
        custody(directory, "openapi --out -")
      ])
      assert.strictEqual(byItself.output, "openapi.json: OpenAPI 3.1.0, 47 operations\n")
      assert.strictEqual(named.output, "custody.json: OpenAPI 3.1.0, 47 operations\n")
      assert.deepStrictEqual([byItself.code, named.code, printed.code], [0, 0, 0])
      assert.strictEqual(JSON.parse(printed.output).info.title, "Custody service")
      assert.strictEqual(read("openapi.json"), printed.output)
      assert.strictEqual(read("custody.json"), printed.output)
    }))

  it("ends with 1 where it cannot write", () =>
    inDirectory(async (directory) => {
      const { code, errors } = await custody(directory, "openapi --out no/such/directory.json")
      assert.strictEqual(code, 1)
      assert.include(errors, "directory.json")
    }))
})

/** `custody emulator` in a process of its own: its address, and an API key of it. */
const withEmulator = async (
  use: (env: Readonly<Record<string, string>>, apiKey: string) => Promise<void>,
  options: ReadonlyArray<string> = []
) => {
  const child = spawn(
    process.execPath,
    [Path.join(packages, "cli/bin/custody.mjs"), "emulator", "--quiet", ...options],
    {
      stdio: ["ignore", "pipe", "inherit"]
    }
  )
  try {
    const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
    const lastWord = async () =>
      String((await lines.next()).value)
        .split(" ")
        .at(-1)!
    const env = { CUSTODY_BASE_URL: await lastWord(), CUSTODY_SESSION_FILE: "session.db" }
    await use(env, await lastWord())
  } finally {
    child.kill("SIGTERM")
    assert.deepStrictEqual(await once(child, "close"), [0, null])
  }
}

/** The record of a session file, with its tokens. */
const stored = (path: string) =>
  Effect.runPromise(
    TokenStore.use((store) => store.load("default")).pipe(
      Effect.map((found) => Option.getOrThrow(found).record),
      Effect.provide(TokenStoreSqlite.layer({ path }))
    )
  )

describe("custody session, custody call", () => {
  it("start a session with a key that is sent once, show it without its secrets, and call with it", () =>
    withEmulator((env, apiKey) =>
      inDirectory(async (directory) => {
        const none = await custody(directory, "session doctor", env)
        assert.strictEqual(none.code, 1)
        assert.include(none.output, "there is no session.db")
        assert.strictEqual((await custody(directory, "session status", env)).code, 1)

        const withoutKey = await custody(directory, "session start", env)
        assert.strictEqual(withoutKey.code, 1)
        assert.include(withoutKey.errors, "api-key")
        const started = await custody(directory, "session start --json", { ...env, CUSTODY_API_KEY: apiKey })
        assert.strictEqual(started.code, 0)
        assert.deepInclude(JSON.parse(started.output), { state: "serving", generation: 0, spentKeys: 1 })

        const again = await custody(directory, "session start", { ...env, CUSTODY_API_KEY: apiKey })
        assert.strictEqual(again.code, 1)
        assert.include(again.errors, "has not ended (serving); the API key was not sent")

        const [status, doctor, vault, refused, created, unknown] = await Promise.all([
          custody(directory, "session status", env),
          custody(directory, "session doctor --json", env),
          custody(directory, "call vaults.details", env),
          custody(directory, "call clients.create id=bob", env),
          custody(directory, "call clients.create id=alice --yes", env),
          custody(directory, "call clients.get externalId=nobody", env)
        ])
        assert.match(status.output, /^state +serving$/m)
        assert.deepStrictEqual([doctor.code, JSON.parse(doctor.output)[0].verdict], [0, "good"])
        assert.deepInclude(JSON.parse(vault.output), { name: "Vault 1", type: "SEGREGATED" })
        assert.strictEqual(refused.code, 1)
        assert.include(refused.errors, "use --yes. Nothing was done")
        assert.deepInclude(JSON.parse(created.output), { externalId: "alice" })
        assert.strictEqual(unknown.code, 1)
        assert.include(unknown.errors, "NotFound")

        const all = [none, withoutKey, started, again, status, doctor, vault, refused, created, unknown]
        const said = all.map(({ errors, output }) => output + errors).join("")
        assert.notInclude(said, apiKey)
        const { session } = await stored(Path.join(directory, "session.db"))
        for (const token of [session!.accessToken, session!.refreshToken]) {
          assert.isAbove(Redacted.value(token).length, 16)
          assert.notInclude(said, Redacted.value(token))
        }
      })
    ))

  it("encrypt a session that is stored in clear text: it goes on, and none of its tokens is left in the files", () =>
    withEmulator((env, apiKey) =>
      inDirectory(async (directory) => {
        const bytes = () =>
          readdirSync(directory)
            .map((name) => readFileSync(Path.join(directory, name), "latin1"))
            .join("")
        const withKey = { ...env, CUSTODY_SESSION_KEY: randomBytes(32).toString("base64") }
        assert.strictEqual((await custody(directory, "session start", { ...env, CUSTODY_API_KEY: apiKey })).code, 0)
        const { session } = await stored(Path.join(directory, "session.db"))
        const token = Redacted.value(session!.refreshToken)
        assert.include(bytes(), token)

        const keyless = await custody(directory, "session encrypt --yes", env)
        const unread = await custody(directory, "session doctor", withKey)
        const unasked = await custody(directory, "session encrypt", withKey)
        assert.deepStrictEqual([keyless.code, unread.code, unasked.code], [1, 1, 1])
        assert.include(keyless.errors, "CUSTODY_SESSION_KEY is not set")
        assert.include(unread.output, "custody session encrypt")
        assert.include(unasked.errors, "use --yes. Nothing was done")
        assert.include(bytes(), token)

        const encrypted = await custody(directory, "session encrypt --yes", withKey)
        assert.strictEqual(encrypted.code, 0)
        assert.match(encrypted.output, /^state +serving$/m)
        assert.notInclude(bytes(), token)
        assert.notInclude(bytes(), Redacted.value(session!.accessToken))

        assert.strictEqual((await custody(directory, "call vaults.details", withKey)).code, 0)
        const again = await custody(directory, "session encrypt --yes", withKey)
        const refused = await custody(directory, "call vaults.details", env)
        assert.deepStrictEqual([again.code, refused.code], [1, 1])
        assert.include(again.errors, "is encrypted with this key already")
        assert.include(refused.errors, "the record is encrypted, and no key is given")
      })
    ))

  it("encrypt nothing while a process rotates the session", () =>
    inDirectory(async (directory) => {
      const path = Path.join(directory, "session.db")
      const record = {
        environment: "http://127.0.0.1:1/api",
        spentKeys: [],
        lease: { owner: "payouts-1", renewedAt: Date.now() }
      }
      await Effect.runPromise(
        TokenStore.use((store) => store.compareAndSwap("default", 0, record)).pipe(
          Effect.provide(TokenStoreSqlite.layer({ path }))
        )
      )
      const { code, errors } = await custody(directory, "session encrypt --yes", {
        CUSTODY_SESSION_FILE: path,
        CUSTODY_SESSION_KEY: randomBytes(32).toString("base64")
      })
      assert.strictEqual(code, 1)
      assert.include(errors, "payouts-1 is rotating it: stop every process that uses it")
    }))
})
