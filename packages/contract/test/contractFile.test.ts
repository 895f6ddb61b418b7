import { type ContractFile, ServiceContract } from "@effect-custody/contract"
import { Clients, CustodyApi, Transactions, Wallets } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { ByteSize, Effect, FileSystem, Layer, Result } from "effect"
import { systemError } from "effect/PlatformError"

const readIssues = (text: string) => {
  const checked = ServiceContract.fromJson(text, CustodyApi)
  return Result.isFailure(checked) ? checked.failure : []
}

/** Each issue as `line:column [path] message`. */
const describeIssues = (text: string): ReadonlyArray<string> =>
  readIssues(text).map(({ column, line, message, path }) => `${line}:${column} [${path.join(" ")}] ${message}`)

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
  it("confirms the operations that it names, as assumed or with differences", () => {
    const contract: ContractFile.File = {
      $schema: "./custody.contract.schema.json",
      note: "Acme Custody API v2, of 2026-11-20, read by two people",
      defaults: {
        prefix: "/v2",
        casing: "snake_case",
        payload: "result",
        items: "result.items",
        values: { status: { PENDING: ["queued", "signing"] } },
        paging: { style: "cursor", size: "page_size", cursor: "after", next: "page.next_cursor" },
        errors: { code: "error.code", tags: { token_expired: "TokenExpired" }, doubtful: [409] }
      },
      operations: {
        "wallets.get": true,
        "vaults.details": {},
        "transactions.transfer": { constants: { kind: "INTERNAL" } },
        "wallets.list": { paging: "none", proven: ["clientId"] },
        "transactions.list": { route: "/transactions/history", fields: { clientId: "client_id", assetId: "clientId" } },
        "transactions.send": {
          route: "PUT /accounts/:clientId/payouts",
          fields: {
            to: "destination.address",
            networkId: "omit",
            amount: { at: "amount.minor", as: { minor: 6 } },
            note: "reference"
          },
          constants: { type: "EXTERNAL" },
          success: [200, 202],
          response: { id: "payout_id", status: { at: "state", values: "status" } },
          note: "page 31; the example shows minor units"
        },
        "tokens.mint": { fields: { document: "file" } }
      }
    }
    const text = JSON.stringify(contract, undefined, 2)
    assert.deepStrictEqual(ServiceContract.fromJson(text, CustodyApi), Result.succeed(contract))
  })

  it("has only paths that a URL leaves unchanged", () => {
    const at = (path: string) =>
      describeIssues(`{ "operations": { "wallets.get": { "route": ${JSON.stringify(path)} } } }`)
    // A URL reads encoded dots as dots.
    const wrong = ["", "w/:walletId", "//evil/:walletId", "/:walletId?x", "/a b/:walletId", "/a/%2e%2E/:walletId"]
    for (const path of wrong) assert.match(at(path)[0]!, /is not a path/, path)
    assert.deepStrictEqual(at("/a/...%2e/:walletId"), [])
  })

  it.each([
    ["", "1:1 [] not JSON: value expected, the text ends here"],
    [`{"a": true,\n}`, `2:1 [] not JSON: property name expected, at "}"`],
    [`{"a": True}`, `1:7 [] not JSON: invalid symbol, at "True"`],
    [`{} // so`, `1:4 [] not JSON: invalid comment token, at "/"`],
    [`{"a":${"[".repeat(50_000)}`, "1:1 [] not JSON: RangeError: Maximum call stack size exceeded"],
    [`{ "operations": { "__proto__": true } }`, `1:19 [operations __proto__] there is no operation "__proto__"`],
    [
      `{ "operations": { "wallets.get": true,\n"wallets.get": true } }`,
      "2:1 [operations wallets.get] the key is repeated here"
    ],
    // The file may be the wrong one, such as one with a key: no message repeats its text.
    ["SECRETKEYabcdef12345", "1:1 [] the file is not a JSON object"],
    ["[".repeat(50_000), "1:1 [] the file is not a JSON object"]
  ])("reports the position of a mistake: %.40s", (text, expected) => {
    const [first, ...others] = describeIssues(text)
    assert.strictEqual(first?.slice(0, expected.length), expected)
    assert.deepStrictEqual(others, [])
  })

  it.effect("is refused with all its mistakes at once, bounded in number and length", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 5_000 }, (_, at) => `\n"vaults.x${at}":true`).join()
      assert.deepStrictEqual(
        readIssues(`{"operations":{${many}}}`).map(({ line }) => line),
        Array.from({ length: 100 }, (_, at) => at + 2)
      )
      const long = onDisk(`{"operations":{"wallets.get":{"route":"${"x".repeat(8_000)}"}}}`)
      const error = yield* Effect.flip(ServiceContract.readFile("custody.contract.json", CustodyApi)).pipe(
        Effect.provide(long)
      )
      assert.isBelow(error.message.length, 800)
    })
  )

  it.effect("is in force as a layer", () =>
    Effect.gen(function* () {
      const { confirms, wire } = yield* ServiceContract.ServiceContract
      assert.isTrue(confirms(Wallets.get))
      assert.isTrue(confirms(Clients.get))
      assert.isFalse(confirms(Transactions.send))
      assert.deepStrictEqual(
        Result.getOrThrow(wire(Clients.get)!.answer({ body: { client: 1 }, status: 200 }, undefined)!),
        { envelope: { data: 1 } }
      )
    }).pipe(
      Effect.provide(
        ServiceContract.layerFile("custody.contract.json", CustodyApi).pipe(
          Layer.provide(onDisk(`{ "operations": { "wallets.get": true, "clients.get": { "payload": "client" } } }`))
        )
      )
    )
  )

  it.effect("with a mistake has no effect: the layer fails, with every issue in its message", () =>
    Effect.gen(function* () {
      const wallets = Object.values(Wallets.endpoints).map(({ operation }) => `"${operation}"`)
      const text = `{ "operations": {\n  "wallets.get": true,\n  "wallets.gte": true,\n  "assets.price": true\n} }`
      const layer = ServiceContract.layerFile("custody.contract.json", CustodyApi).pipe(Layer.provide(onDisk(text)))
      const error = yield* Effect.flip(Effect.provide(Effect.void, layer))
      assert(error._tag === "ConfigurationInvalid")
      assert.strictEqual(
        error.reason,
        [
          `custody.contract.json:3:3: operations → wallets.gte: there is no operation "wallets.gte": ${wallets.join(", ")}`,
          `custody.contract.json:4:3: operations → assets.price: there is no operation "assets.price": "assets.list", "assets.configuration"`
        ].join("\n")
      )
    })
  )

  it.effect("that is missing fails with PlatformError, and a file that is too large is not read", () =>
    Effect.gen(function* () {
      const layer = ServiceContract.layerFile("elsewhere.json", CustodyApi).pipe(Layer.provide(onDisk("{}")))
      assert.strictEqual((yield* Effect.flip(Effect.provide(Effect.void, layer)))._tag, "PlatformError")
      const large = FileSystem.layerNoop({
        stat: () => Effect.succeed({ type: "File", size: ByteSize.bytes(10_000_000) } as FileSystem.File.Info),
        readFileString: () => Effect.die("it was read")
      })
      const failure = yield* Effect.flip(ServiceContract.readFile("custody.contract.json", CustodyApi)).pipe(
        Effect.provide(large)
      )
      assert.include(failure.message, "the file has a size of 10000000")
    })
  )
})
