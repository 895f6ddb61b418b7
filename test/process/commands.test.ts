import { assert, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import * as Os from "node:os"
import * as Path from "node:path"

const bin = Path.resolve(import.meta.dirname, "../../packages/node/bin")

const run = (cwd: string, command: string, ...args: ReadonlyArray<string>) =>
  new Promise<{ readonly code: number; readonly output: string; readonly errors: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [Path.join(bin, `${command}.mjs`), ...args],
      { cwd, maxBuffer: 16 * 1024 * 1024 },
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

describe("custody-contract", () => {
  it("tells the 47 operations, a line each, and how many are specified", () =>
    inDirectory(async (directory) => {
      const { code, output } = await run(directory, "custody-contract")
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

  it("--check tells what a file confirms, and what is still assumed", () =>
    inDirectory(async (directory) => {
      const file = { "wallets.get": true, "transactions.list": { path: "/history", query: { clientId: "client_id" } } }
      writeFileSync(Path.join(directory, "custody.contract.json"), JSON.stringify(file))
      const { code, output } = await run(directory, "custody-contract", "--check", "custody.contract.json")
      assert.strictEqual(code, 0)
      assert.match(output, /^wallets\.get +GET +\/wallets\/:walletId +confirmed$/m)
      assert.match(
        output,
        /^transactions\.list +GET +\/history +confirmed with differences +query clientId → client_id$/m
      )
      assert.include(output, "47 operations: 3 specified, 42 assumed, 1 confirmed, 1 confirmed with differences")
      assert.include(output, "custody.contract.json is valid: it confirms 2 operations")
    }))

  it("--check ends with 1 and the place of every error in a file that is wrong, or not there", () =>
    inDirectory(async (directory) => {
      const file = `{\n  "wallet.get": true,\n  "wallets.get": { "path": "/wallets" }\n}\n`
      writeFileSync(Path.join(directory, "custody.contract.json"), file)
      const wrong = await run(directory, "custody-contract", "--check", "custody.contract.json")
      assert.strictEqual(wrong.code, 1)
      assert.strictEqual(wrong.output, "")
      assert.include(
        wrong.errors,
        `custody.contract.json:2:3: wallet.get: there is no operation "wallet.get". Expected:`
      )
      assert.include(wrong.errors, `custody.contract.json:3:20: wallets.get → path: the path is without its parameter`)

      const missing = await run(directory, "custody-contract", "--check", "elsewhere.json")
      assert.strictEqual(missing.code, 1)
      assert.include(missing.errors, "elsewhere.json")
    }))
})

describe("custody-openapi", () => {
  it("writes the document to openapi.json, to a file of another name, or to the standard output", () =>
    inDirectory(async (directory) => {
      const read = (file: string) => readFileSync(Path.join(directory, file), "utf8")
      const [byItself, named, printed] = await Promise.all([
        run(directory, "custody-openapi"),
        run(directory, "custody-openapi", "--out", "custody.json"),
        run(directory, "custody-openapi", "--out", "-")
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
      const { code, errors } = await run(directory, "custody-openapi", "--out", "no/such/directory.json")
      assert.strictEqual(code, 1)
      assert.include(errors, "directory.json")
    }))
})
