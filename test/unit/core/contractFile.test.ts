import { WireContract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Layer, Result } from "effect"
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
    const confirmations = {
      "wallets.get": true,
      "vaults.details": { response: { vault_id: "id" } },
      "wallets.balance": { path: "/balances/:walletId/of", method: "POST", readOnly: true, payload: "balance" },
      "transactions.list": { path: "/transactions/history", query: { clientId: "client_id", assetId: "clientId" } },
      "transactions.send": { body: { to: "address", note: "to" } },
      "tokens.mint": { body: { document: "file" } },
      "assets.list": { response: { ticker: "symbol" } }
    }
    assert.deepStrictEqual(
      WireContract.fromJson(JSON.stringify(confirmations, undefined, 2), CustodyApi),
      Result.succeed(confirmations as WireContract.Confirmations)
    )
  })

  it("may name all 47 operations", () => {
    const all = Object.fromEntries(CustodyApi.operations.map(({ name }) => [name, true as const]))
    assert.deepStrictEqual(WireContract.fromJson(JSON.stringify(all), CustodyApi), Result.succeed(all))
  })

  it("names operations that there are, or is told the operations of the category", () => {
    assert.deepStrictEqual(
      shown(
        `{\n  "wallets.get": true,\n  "wallet.Get": true,\n  "assets.price": true,\n  "asset.fetch": true,\n  "x.y": true\n}`
      ),
      [
        `3:3 [wallet.Get] there is no operation "wallet.Get"; "wallets.get"`,
        `4:3 [assets.price] there is no operation "assets.price"; "assets.prices"`,
        `5:3 [asset.fetch] there is no operation "asset.fetch"; one of "assets.list", "assets.prices"`,
        `6:3 [x.y] there is no operation "x.y"; an operation's name, such as "wallets.get"`
      ]
    )
  })

  it("gives a path with each of its parameters, and no other", () => {
    const at = (path: string) => shown(`{ "wallets.get": { "path": ${JSON.stringify(path)} } }`)
    assert.deepStrictEqual(at("/wallets/detail/:walletId"), [])
    assert.deepStrictEqual(at("/wallets"), [
      `1:20 [wallets.get path] the path is without its parameter ":walletId"; the same parameters as "/wallets/:walletId"`
    ])
    assert.deepStrictEqual(
      at("/:walletId/:id/:walletId").map((line) => line.split("; ")[0]),
      [
        `1:20 [wallets.get path] the path has an unknown parameter ":id"`,
        `1:20 [wallets.get path] the path has its parameter ":walletId" twice`
      ]
    )
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

  it("renames no two keys to one", () => {
    assert.deepStrictEqual(
      shown(`{
        "transactions.list": { "query": { "clientId": "c", "assetId": "c", "networkId": "type" } },
        "wallets.get": { "response": { "wallet": "id", "uid": "id" } }
      }`),
      [
        `2:60 [transactions.list query assetId] "assetId" and "clientId" would both be sent as "c"; a name of its own for each key`,
        `2:76 [transactions.list query networkId] "networkId" and "type" would both be sent as "type"; a name of its own for each key`,
        `3:56 [wallets.get response uid] "wallet" and "uid" would both be read as "id"; one key of the service's for each of ours`
      ]
    )
  })

  it("renames only keys that the operation has", () => {
    assert.deepStrictEqual(
      shown(`{
        "transactions.send": { "body": { "ammount": "value" } },
        "vaults.details": { "query": { "page": "p" } },
        "wallets.get": { "response": { "addr": "adress" } }
      }`),
      [
        `2:42 [transactions.send body ammount] the operation has no body key "ammount"; one of "clientId", "assetId", "networkId", "to", "amount", "note"`,
        `3:40 [vaults.details query page] the operation has no query key "page"; no "query" here`,
        `4:40 [wallets.get response addr] the operation's answer has no key "adress"; one of "id", "address", "clientId", "assetId", "networkId", "balance", "pendingBalance", "transactionCount", "asset"`
      ]
    )
  })

  it("holds the types that are asked for, and nothing unknown", () => {
    assert.deepStrictEqual(
      shown(`{
        "wallets.get": false,
        "wallets.list": { "method": "FETCH", "query": { "clientId": 1 } },
        "clients.get": { "pyload": "client" },
        "clients.create": { "method": "GET", "payload": "", "body": { "id": "" } }
      }`),
      [
        `2:9 [wallets.get] false confirms nothing; true, or an object of differences`,
        `3:27 [wallets.list method] "FETCH" does not fit; "GET" | "POST" | "PUT" | "PATCH" | "DELETE"`,
        `3:57 [wallets.list query clientId] 1 does not fit; string`,
        `4:26 [clients.get pyload] nothing is known as "pyload"; one of "method", "readOnly", "path", "query", "body", "payload", "response"`,
        `5:29 [clients.create method] the operation has a body, which GET does not carry; a method that changes things, such as "POST"`,
        `5:46 [clients.create payload] the key is empty; the envelope's key, such as "data"`,
        `5:71 [clients.create body id] the new name is empty; the service's name of the key`
      ]
    )
    assert.deepStrictEqual(shown("[]"), [`1:1 [] there is no object; such as { "wallets.get": true }`])
    assert.deepStrictEqual(
      shown(`{ "__proto__": true, "toString": true }`).map((line) => line.split(";")[0]),
      [`1:3 [__proto__] there is no operation "__proto__"`, `1:22 [toString] there is no operation "toString"`]
    )
  })

  it("says each thing once", () => {
    assert.deepStrictEqual(shown(`{ "wallets.get": true,\n"wallets.get": true }`), [
      "2:1 [wallets.get] the key stands here a second time; each key once"
    ])
  })

  it.each([
    ["", "1:1 [] not JSON: the file ends here; a JSON value"],
    [`{\n`, `2:1 [] not JSON: the file ends here; "}"`],
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
    [`{} // so`, `1:4 [] not JSON: JSON has no comments; the file without the comment`],
    [`{} {}`, `1:4 [] not JSON: unexpected "{"; the end of the file`],
    ["[".repeat(50_000), "1:33 [] not JSON: nested too deeply; at most 32 levels"],
    [`{"a":`.repeat(10_000) + "1" + "}".repeat(10_000), "1:161 [] not JSON: nested too deeply; at most 32 levels"]
  ])("that is not JSON is told where: %#", (text, expected) => {
    assert.deepStrictEqual(shown(text), [expected])
  })

  it("that is not JSON is told all its mistakes at once, one for each line, 20 at most", () => {
    assert.deepStrictEqual(shown(`{\n  "wallets.get" true,\n  clients.get: true,\n  "assets.list": tru\n}`), [
      `2:17 [] not JSON: unexpected "true"; ":"`,
      `3:3 [] not JSON: unexpected "clients.get"; a JSON value`,
      `4:18 [] not JSON: unexpected "tru"; a JSON value`
    ])
    assert.lengthOf(issuesOf("x\n".repeat(500_000)), 20)
  })

  it("of a megabyte is told its mistakes like any other", () => {
    const lines = Array.from({ length: 30_000 }, (_, index) => `  "unknown.operation${index}": true`)
    const issues = issuesOf(`{\n${lines.join(",\n")}\n}`)
    assert.lengthOf(issues, 30_000)
    assert.deepStrictEqual(
      issues.map(({ line }) => line),
      Array.from({ length: 30_000 }, (_, index) => index + 2)
    )
  })

  it("is read as JSON.parse reads it", () => {
    const names = ["wallets.get", "clients.get"] as const
    for (const text of [
      `\r\n{\t"${names[0]}" :true , "\\u0063lients.get":{ } }\n`,
      `{}`,
      `{"${names[1]}":{"query":{}}}`
    ]) {
      assert.deepStrictEqual(WireContract.fromJson(text, CustodyApi), Result.succeed(JSON.parse(text)))
    }
  })

  it.effect("is in force as a layer", () =>
    Effect.gen(function* () {
      const { confirmed } = yield* WireContract.WireContract
      assert.deepStrictEqual(confirmed("wallets.get"), {})
      assert.deepStrictEqual(confirmed("clients.get"), { payload: "client" })
      assert.isUndefined(confirmed("transactions.send"))
    }).pipe(
      Effect.provide(
        WireContract.layerFile("custody.contract.json", CustodyApi).pipe(
          Layer.provide(onDisk(`{ "wallets.get": true, "clients.get": { "payload": "client" } }`))
        )
      )
    )
  )

  it.effect("that is wrong is not in force at all: the layer fails, with every issue in its message", () =>
    Effect.gen(function* () {
      const layer = WireContract.layerFile("custody.contract.json", CustodyApi).pipe(
        Layer.provide(onDisk(`{\n  "wallets.get": true,\n  "wallets.gte": true,\n  "clients.get": 1\n}`))
      )
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert(error._tag === "ContractFileInvalid")
      assert.strictEqual(error.issues.length, 2)
      assert.strictEqual(
        error.message,
        [
          `custody.contract.json:3:3: wallets.gte: there is no operation "wallets.gte". Expected: one of "wallets.list", "wallets.get", "wallets.balance", "wallets.transactionCount"`,
          `custody.contract.json:4:3: clients.get: 1 confirms nothing. Expected: true, or an object of differences`
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
