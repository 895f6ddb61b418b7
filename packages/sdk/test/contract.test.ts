import { assert, describe, it } from "@effect/vitest"
import * as Operation from "@effect-custody/core/siblings/Operation"
import * as Sdk from "@effect-custody/sdk"

const { CustodyApi, Authentication, Clients, Wallets, Vaults, Transactions } = Sdk
const { Assets, Tokens, Nfts, PaymentOrders, FiatGateway } = Sdk

/** The namespaces of the SDK. */
const namespaces: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  Authentication,
  Clients,
  Wallets,
  Vaults,
  Transactions,
  Assets,
  Tokens,
  Nfts,
  PaymentOrders,
  FiatGateway
]

interface AnyEndpoint extends Operation.Any {}

const isEndpoint = (u: unknown): u is AnyEndpoint => typeof u === "function" && Operation.TypeId in u

describe("the operations", () => {
  it("the operations are the functions of the namespaces, each under its name", () => {
    const functions = namespaces.flatMap((namespace) =>
      Object.entries(namespace).flatMap(([name, endpoint]) => {
        if (!isEndpoint(endpoint)) return []
        assert.isTrue(endpoint.operation.endsWith(`.${name}`), name)
        return [endpoint.operation]
      })
    )
    const operations = CustodyApi.operations.map(({ operation }) => operation)
    assert.deepStrictEqual(functions.toSorted(), operations.toSorted())
  })

  it("exactly the operations that read are GETs", () => {
    for (const { operation, route, safety } of CustodyApi.operations) {
      assert.strictEqual(route.method === "GET", safety === "read", operation)
    }
  })
})
