import { EnvironmentConfig } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as ConfigProvider from "effect/ConfigProvider"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"

const none = {
  CUSTODY_BASE_URL: undefined,
  CUSTODY_SUBDOMAIN: undefined,
  CUSTODY_HOST: undefined,
  CUSTODY_ENVIRONMENT: undefined
}
const acme = {
  ...none,
  CUSTODY_SUBDOMAIN: "acme",
  CUSTODY_HOST: "custody.example",
  CUSTODY_ENVIRONMENT: "sandbox"
}

/** The address that variables name, or why they name none. */
const named = (variables: EnvironmentConfig.Variables, needed?: Readonly<Record<string, string | undefined>>): string =>
  Result.match(EnvironmentConfig.fromVariables(variables, needed), {
    onSuccess: ({ baseUrl, kind }) => `${kind} ${baseUrl}`,
    onFailure: ({ message }) => message
  })

describe("the variables of a service", () => {
  it("name an organization's service, or a whole address", () => {
    assert.strictEqual(named(acme), "sandbox https://acme.custody.example/api/integration")
    assert.strictEqual(
      named({ ...acme, CUSTODY_ENVIRONMENT: "production" }),
      "production https://acme.custody.example/api/integration"
    )
    const local = { ...none, CUSTODY_BASE_URL: "http://127.0.0.1:4010/api" }
    assert.strictEqual(named(local, { PAYOUTS_TABLE: "payouts" }), "local http://127.0.0.1:4010/api")
  })

  it("that are missing are named all at once, with the others that the program needs", () => {
    const instead = "CUSTODY_BASE_URL, a whole address, can take the place of CUSTODY_SUBDOMAIN, CUSTODY_HOST and"
    assert.strictEqual(
      named({ ...acme, CUSTODY_HOST: undefined }),
      `CUSTODY_HOST: not set. ${instead} CUSTODY_ENVIRONMENT`
    )
    assert.strictEqual(
      named({ ...none, CUSTODY_HOST: "custody.example" }, { PAYOUTS_TABLE: undefined }),
      `CUSTODY_SUBDOMAIN, CUSTODY_ENVIRONMENT, PAYOUTS_TABLE: not set. ${instead} CUSTODY_ENVIRONMENT`
    )
    assert.strictEqual(named(acme, { PAYOUTS_TABLE: undefined }), "PAYOUTS_TABLE: not set")
  })

  it("that may mean two services are refused, whatever else is wrong", () => {
    const said = "it is not certain which service is meant. Keep one or the other"
    assert.strictEqual(
      named({ ...none, CUSTODY_BASE_URL: "nowhere", CUSTODY_HOST: "custody.example" }, { PAYOUTS_TABLE: undefined }),
      `CUSTODY_BASE_URL: set together with CUSTODY_HOST: ${said}`
    )
  })

  it("with a value to which no token may go are refused by their names", () => {
    assert.match(named({ ...acme, CUSTODY_SUBDOMAIN: "acme.evil" }), /^CUSTODY_SUBDOMAIN: /)
    assert.match(named({ ...acme, CUSTODY_HOST: "custody.example:65536" }), /^CUSTODY_HOST: /)
    assert.match(named({ ...none, CUSTODY_BASE_URL: "http://custody.example" }), /^CUSTODY_BASE_URL: /)
    assert.strictEqual(
      named({ ...acme, CUSTODY_ENVIRONMENT: "prod" }),
      "CUSTODY_ENVIRONMENT: must be production or sandbox"
    )
  })

  it.effect("are read from any provider, an empty one as none", () =>
    Effect.gen(function* () {
      const set = {
        CUSTODY_BASE_URL: "",
        CUSTODY_SUBDOMAIN: "acme",
        CUSTODY_HOST: "custody.example",
        CUSTODY_ENVIRONMENT: "sandbox"
      }
      for (const provider of [ConfigProvider.fromEnv({ env: set }), ConfigProvider.fromUnknown(set)]) {
        assert.deepStrictEqual(yield* EnvironmentConfig.variables.parse(provider), acme)
        const { baseUrl } = yield* EnvironmentConfig.environment.parse(provider)
        assert.strictEqual(baseUrl, "https://acme.custody.example/api/integration")
      }
    })
  )

  it.effect("fail as a Config with the same message", () =>
    Effect.gen(function* () {
      const provider = ConfigProvider.fromUnknown({ CUSTODY_BASE_URL: "http://127.0.0.1:1", CUSTODY_HOST: "a.example" })
      const { message } = yield* Effect.flip(EnvironmentConfig.environment.parse(provider))
      assert.include(message, "CUSTODY_BASE_URL: set together with CUSTODY_HOST: it is not certain")
    })
  )
})
