import { type ContractFile, WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { ByteSize, Effect, FileSystem, Layer, Result } from "effect"
import { systemError } from "effect/PlatformError"

const issuesOf = (text: string): ReadonlyArray<WireContract.FileIssue> => {
  const checked = WireContract.fromJson(text, CustodyApi)
  return Result.isFailure(checked) ? checked.failure : []
}

/** Each issue as `line:column path message; expected`. */
const shown = (text: string): ReadonlyArray<string> =>
  issuesOf(text).map(
    ({ column, expected, line, message, path }) => `${line}:${column} [${path.join(" ")}] ${message}; ${expected}`
  )

const onDisk = (text: string) =>
  FileSystem.layerNoop({
    readFileString: (path) =>
      path === "custody.contract.json"
        ? Effect.succeed(text)
        : Effect.fail(
            systemError({ _tag: "NotFound", module: "FileSystem", method: "readFileString", pathOrDescriptor: path })
          )
  })

describe("a contract file", () => {
  it("confirms what it names, as assumed or with differences", () => {
    const contract: ContractFile.File = {
      $schema: "./custody.contract.schema.json",
      source: { document: "Acme Custody API v2", url: "https://acme.example/docs", page: 31, date: "2026-11-20" },
      note: "read by two people",
      defaults: {
        prefix: "/v2",
        casing: "snake_case",
        payload: "result",
        items: "result.items",
        paging: { style: "cursor", size: "page_size", cursor: "after", next: "page.next_cursor" },
        errors: { code: "error.code", tags: { token_expired: "TokenExpired" }, doubtful: [409] }
      },
      operations: {
        "wallets.get": true,
        "vaults.details": {},
        "wallets.balance": { path: "/balances/:walletId/of", method: "POST", readOnly: true, payload: "balance" },
        "transactions.list": { path: "/transactions/history", fields: { clientId: "client_id", assetId: "clientId" } },
        "transactions.send": {
          path: "/accounts/:clientId/payouts",
          fields: {
            to: "destination.address",
            networkId: "destination.network",
            amount: { at: "amount.minor", as: { minor: 6 } },
            note: { in: "header", name: "x-reference" }
          },
          constants: { "body.type": "EXTERNAL", "query.dry_run": "false" },
          success: [200, 202],
          response: {
            id: "payout_id",
            status: { at: "state", values: { PENDING: ["queued", "signing"] }, open: true }
          },
          note: "page 31; the example shows minor units"
        },
        "tokens.mint": { fields: { document: "file" } }
      },
      proposed: { "assets.list": { response: { symbol: "ticker" } } }
    }
    assert.deepStrictEqual(
      WireContract.fromJson(JSON.stringify(contract, undefined, 2), CustodyApi),
      Result.succeed(contract)
    )
  })

  it("may name all 47 operations", () => {
    const operations = Object.fromEntries(CustodyApi.operations.map(({ name }) => [name, true as const]))
    assert.deepStrictEqual(
      WireContract.fromJson(JSON.stringify({ operations }), CustodyApi),
      Result.succeed({ operations })
    )
  })

  it("names operations that there are, or is told the operations of the category", () => {
    assert.deepStrictEqual(
      shown(
        `{ "operations": {\n  "wallets.get": true,\n  "wallet.Get": true,\n  "assets.price": true,\n  "asset.fetch": true,\n  "x.y": true\n} }`
      ),
      [
        `3:3 [operations wallet.Get] there is no operation "wallet.Get"; "wallets.get"`,
        `4:3 [operations assets.price] there is no operation "assets.price"; "assets.prices"`,
        `5:3 [operations asset.fetch] there is no operation "asset.fetch"; one of "assets.list", "assets.prices"`,
        `6:3 [operations x.y] there is no operation "x.y"; an operation's name, such as "wallets.get"`
      ]
    )
  })

  it("has paths that a URL reads as they are", () => {
    const at = (path: string) => shown(`{ "operations": { "wallets.get": { "path": ${JSON.stringify(path)} } } }`)
    for (const path of [
      "",
      "w/:walletId",
      "//evil/:walletId",
      "/a/../:walletId",
      "/:walletId?x",
      "/a b/:walletId",
      // A URL reads these as dots.
      "/a/%2e%2E/:walletId",
      "/a/.%2e/:walletId",
      "/%2e/:walletId",
      "/:walletId/%2e%2e"
    ]) {
      assert.match(at(path)[0]!, /is not a path/, path)
    }
    assert.deepStrictEqual(at("/a/...%2e/:walletId"), [])
  })

  it("is an object, whose names are its own", () => {
    assert.deepStrictEqual(shown("[]"), [
      `1:1 [] the contract is not an object; such as { "operations": { "wallets.get": true } }`
    ])
    assert.deepStrictEqual(
      shown(`{ "operations": { "__proto__": true, "toString": true } }`).map((line) => line.split(";")[0]),
      [
        `1:19 [operations __proto__] there is no operation "__proto__"`,
        `1:38 [operations toString] there is no operation "toString"`
      ]
    )
  })

  it("says each thing once", () => {
    assert.deepStrictEqual(shown(`{ "operations": { "wallets.get": true,\n"wallets.get": true } }`), [
      "2:1 [operations wallets.get] the key is repeated here; each key once"
    ])
  })

  it.each([
    ["", "1:1 [] not JSON: the text ends here; a JSON value"],
    [`{\n`, `2:1 [] not JSON: the text ends here; "}"`],
    [`{"a": true,\n}`, `2:1 [] not JSON: unexpected "}"; a key in double quotes`],
    [`{"a" true}`, `1:6 [] not JSON: unexpected "true"; ":"`],
    [`{"a": true "b": true}`, `1:12 [] not JSON: unexpected "\\""; "," or a closing bracket`],
    [`{"a": True}`, `1:7 [] not JSON: unexpected "True"; a JSON value`],
    [`{"a": 01}`, `1:8 [] not JSON: unexpected "1"; "," or a closing bracket`],
    [`{"a": "b`, `1:7 [] not JSON: unexpected "\\""; a closing quote on the same line`],
    [
      `{"a": "\\x"}`,
      "1:7 [] not JSON: the string has an escape or a character that JSON does not allow; a JSON string"
    ],
    [`{"a": [1, 2}`, `1:12 [] not JSON: unexpected "}"; "," or a closing bracket`],
    [`{} // so`, `1:4 [] not JSON: JSON has no comments; the text without the comment`],
    [`{} {}`, `1:4 [] not JSON: unexpected "{"; the end of the text`],
    [`{"a":${"[".repeat(50_000)}`, "1:37 [] not JSON: nested too deeply; at most 32 levels"],
    [`{"a":`.repeat(10_000) + "1" + "}".repeat(10_000), "1:161 [] not JSON: nested too deeply; at most 32 levels"]
  ])("that is not JSON is told where: %#", (text, expected) => {
    assert.deepStrictEqual(shown(text), [expected])
  })

  it("that is not JSON is refused with all its mistakes at once, one for each line, 20 at most", () => {
    assert.deepStrictEqual(shown(`{\n  "wallets.get" true,\n  clients.get: true,\n  "assets.list": tru\n}`), [
      `2:17 [] not JSON: unexpected "true"; ":"`,
      `3:3 [] not JSON: unexpected "clients.get"; a JSON value`,
      `4:18 [] not JSON: unexpected "tru"; a JSON value`
    ])
    assert.lengthOf(issuesOf(`{${"x\n".repeat(500_000)}`), 20)
  })

  it.each([
    ["SECRETKEYabcdef12345", "1:1"],
    ["\n  SECRETKEYabcdef12345\n", "2:3"],
    [`"SECRETKEYabcdef12345"`, "1:1"],
    ["\uFEFF12345", "1:1"],
    ["-----BEGIN KEY-----", "1:1"],
    ["[".repeat(50_000), "1:1"]
  ])("whose text does not begin as an object is not quoted: %#", (text, place) => {
    assert.deepStrictEqual(shown(text), [
      `${place} [] the contract is not an object; such as { "operations": { "wallets.get": true } }`
    ])
  })

  it("is read as JSON.parse reads it", () => {
    const names = ["wallets.get", "clients.get"] as const
    for (const text of [
      `\r\n{\t"operations":{"${names[0]}" :true , "\\u0063lients.get":{ } }}\n`,
      `{}`,
      `{"operations":{"${names[1]}":{"fields":{}}}}`
    ]) {
      assert.deepStrictEqual(WireContract.fromJson(text, CustodyApi), Result.succeed(JSON.parse(text)))
    }
  })

  it.effect("is in force as a layer", () =>
    Effect.gen(function* () {
      const { confirms, wire } = yield* WireContract.WireContract
      assert.isTrue(confirms("wallets.get"))
      assert.isTrue(confirms("clients.get"))
      assert.isFalse(confirms("transactions.send"))
      assert.deepStrictEqual(wire("clients.get")?.envelope({ client: 1 }, 200, undefined), { data: 1 })
    }).pipe(
      Effect.provide(
        WireContract.layerFile("custody.contract.json", CustodyApi).pipe(
          Layer.provide(onDisk(`{ "operations": { "wallets.get": true, "clients.get": { "payload": "client" } } }`))
        )
      )
    )
  )

  it.effect("that is wrong is not in force at all: the layer fails, with every issue in its message", () =>
    Effect.gen(function* () {
      const layer = WireContract.layerFile("custody.contract.json", CustodyApi).pipe(
        Layer.provide(
          onDisk(`{ "operations": {\n  "wallets.get": true,\n  "wallets.gte": true,\n  "clients.get": 1\n} }`)
        )
      )
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert(error._tag === "ContractFileInvalid")
      assert.strictEqual(error.issues.length, 2)
      assert.strictEqual(
        error.message,
        [
          `custody.contract.json:3:3: operations → wallets.gte: there is no operation "wallets.gte". Expected: one of "wallets.list", "wallets.get", "wallets.balance", "wallets.transactionCount"`,
          `custody.contract.json:4:3: operations → clients.get: 1 is not an entry. Expected: true, or an object of differences`
        ].join("\n")
      )
    })
  )

  it.effect("that is not there is the platform's error", () =>
    Effect.gen(function* () {
      const layer = WireContract.layerFile("elsewhere.json", CustodyApi).pipe(Layer.provide(onDisk("{}")))
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert.strictEqual(error._tag, "PlatformError")
    })
  )
})

describe("a file that is no contract is refused before it is looked at closely", () => {
  const listOf = (length: number, of: (at: number) => string) => Array.from({ length }, (_, at) => of(at)).join()
  const messageOf = (text: string) =>
    new WireContract.ContractFileInvalid({ file: "custody.contract.json", issues: issuesOf(text) }).message

  it("a file that is too large, and a key, a text or a number of values that no contract has", () => {
    const refusals = [
      [`{"operations":{"${"k".repeat(2_000_000)}":true}}`, "1:1 [] the file has a size of 2000024"],
      [`{"${"q".repeat(200_000)}":{${listOf(500, (at) => `"x${at}":1`)}}}`, "1:1 [] a key of 200000 characters"],
      [`{"note":"${"n".repeat(10_000)}"}`, "1:2 [note] a text of 10000 characters"],
      [`{"operations":[${listOf(100_000, String)}]}`, "there are more than 20000 values"]
    ] as const
    for (const [text, said] of refusals) {
      assert.strictEqual(issuesOf(text).length, 1)
      assert.include(shown(text)[0], said)
      assert.isBelow(messageOf(text).length, 200)
    }
  })

  it("of many mistakes the first are listed, in the order of the file", () => {
    const issues = issuesOf(`{"operations":{${listOf(5_000, (at) => `\n"vaults.x${at}":true`)}}}`)
    assert.deepStrictEqual(
      issues.map(({ line }) => line),
      Array.from({ length: 101 }, (_, at) => at + 2)
    )
    assert.deepInclude(issues.at(-1), { message: "there are further mistakes, which are not listed" })
    const strangers = issuesOf(`{"defaults":{"fields":{${listOf(5_000, (at) => `"x${at}":"y"`)}}}}`)
    assert.strictEqual(strangers.length, 101)
  })

  it("a message repeats the beginning of a value", () => {
    assert.isBelow(messageOf(`{"operations":{"wallets.get":{"path":"${"x".repeat(8_000)}"}}}`).length, 400)
    assert.isBelow(messageOf(`{"operations":{"wallets.get":[${listOf(5_000, String)}]}}`).length, 400)
  })

  it.effect("a large file is not even read", () =>
    Effect.gen(function* () {
      const failure = yield* Effect.flip(WireContract.readFile("custody.contract.json", CustodyApi))
      assert(failure._tag === "ContractFileInvalid")
      assert.include(failure.message, "the file has a size of 10000000")
    }).pipe(
      Effect.provide(
        FileSystem.layerNoop({
          stat: () => Effect.succeed({ type: "File", size: ByteSize.bytes(10_000_000) } as FileSystem.File.Info),
          readFileString: () => Effect.die("it was read")
        })
      )
    )
  )
})
