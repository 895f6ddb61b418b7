import { EnvironmentConfig } from "@effect-custody/sdk"
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
const at = (url: string) => ({ CUSTODY_BASE_URL: url })
const emulator = { CUSTODY_ENVIRONMENT: "emulator" }
const instead = "CUSTODY_BASE_URL, a whole address, can take the place of CUSTODY_SUBDOMAIN, CUSTODY_HOST and"

describe("the variables of a service", () => {
  it.each([
    [acme, {}, "sandbox https://acme.custody.example/api/integration"],
    [{ ...acme, CUSTODY_ENVIRONMENT: "production" }, {}, "production https://acme.custody.example/api/integration"],
    [{ ...none, CUSTODY_BASE_URL: "http://127.0.0.1:1/api" }, { TABLE: "payouts" }, "other http://127.0.0.1:1/api"],
    [{ ...acme, CUSTODY_HOST: undefined }, {}, `CUSTODY_HOST: not set. ${instead} CUSTODY_ENVIRONMENT`],
    [
      { ...none, CUSTODY_HOST: "custody.example" },
      { TABLE: undefined },
      `CUSTODY_SUBDOMAIN, CUSTODY_ENVIRONMENT, TABLE: not set. ${instead} CUSTODY_ENVIRONMENT`
    ],
    [acme, { TABLE: undefined }, "TABLE: not set"],
    [
      { ...none, CUSTODY_BASE_URL: "nowhere", CUSTODY_HOST: "custody.example" },
      { TABLE: undefined },
      "CUSTODY_BASE_URL: set together with CUSTODY_HOST: it is not certain which service is meant. Keep one or the other"
    ],
    [{ ...acme, CUSTODY_HOST: "custody.example:65536" }, {}, /^CUSTODY_HOST: /],
    [{ ...none, CUSTODY_BASE_URL: "http://custody.example" }, {}, /^CUSTODY_BASE_URL: /],
    [{ ...acme, CUSTODY_ENVIRONMENT: "prod" }, {}, "CUSTODY_ENVIRONMENT: must be production, sandbox or emulator"],
    [{ ...none, ...at("http://127.0.0.1:1/api"), ...emulator }, {}, "emulator http://127.0.0.1:1/api"],
    [
      { ...none, ...emulator },
      { TABLE: undefined },
      "CUSTODY_BASE_URL, TABLE: not set. CUSTODY_ENVIRONMENT=emulator needs the whole address of the emulator in " +
        "CUSTODY_BASE_URL"
    ],
    // A real service is never an emulator, whatever a variable that was left over says.
    [{ ...acme, ...emulator }, {}, /^CUSTODY_BASE_URL: not set/],
    [{ ...acme, ...at("http://127.0.0.1:1"), ...emulator }, {}, /set together with CUSTODY_SUBDOMAIN, CUSTODY_HOST:/],
    [{ ...none, ...at("https://acme.custody.example/api"), ...emulator }, {}, /^CUSTODY_BASE_URL: an emulator is on/]
  ] as const)("the variables %j with %j name an environment or an error", (variables, needed, expected) => {
    const named = Result.match(EnvironmentConfig.fromVariables(variables, needed), {
      onSuccess: ({ baseUrl, kind }) => `${kind} ${baseUrl}`,
      onFailure: ({ message }) => message
    })
    if (typeof expected === "string") assert.strictEqual(named, expected)
    else assert.match(named, expected)
  })

  it.effect(
    "any provider supplies the variables, an empty one counts as not set, and the Config fails with the same message",
    () =>
      Effect.gen(function* () {
        const set = { ...acme, CUSTODY_BASE_URL: "" }
        for (const provider of [ConfigProvider.fromEnv({ env: set }), ConfigProvider.fromUnknown(set)]) {
          const { baseUrl } = yield* EnvironmentConfig.environment.parse(provider)
          assert.strictEqual(baseUrl, "https://acme.custody.example/api/integration")
        }
        const provider = ConfigProvider.fromUnknown({
          CUSTODY_BASE_URL: "http://127.0.0.1:1",
          CUSTODY_HOST: "a.example"
        })
        const { message } = yield* Effect.flip(EnvironmentConfig.environment.parse(provider))
        assert.include(message, "CUSTODY_BASE_URL: set together with CUSTODY_HOST: it is not certain")
      })
  )
})
