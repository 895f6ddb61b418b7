/** The keys that `NodeCustody` takes from variables: what is refused, and what it is called then. */
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as ConfigProvider from "effect/ConfigProvider"
import { details, generated } from "../../support/clients/wireClient.ts"
import { temporaryDirectory } from "../../support/servers/sqlitePlace.ts"
import { wireServer } from "../../support/servers/wireServer.ts"
import { testKey } from "../../support/worlds/tokenStoreConformance.ts"

const sessionKeys = (env: Record<string, string>) =>
  NodeCustody.sessionKeysConfig.pipe(
    Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
  )

const [first, second] = [Redacted.value(testKey(1)), Redacted.value(testKey(2))] as const

describe("the session keys", () => {
  it.effect("are those of the variables, or none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* sessionKeys({}), { sessionKey: undefined, previousSessionKeys: [] })
      const { previousSessionKeys, sessionKey } = yield* sessionKeys({
        CUSTODY_SESSION_KEY: first,
        CUSTODY_SESSION_KEY_FILE: "/run/secrets/key",
        CUSTODY_PREVIOUS_SESSION_KEYS: second
      })
      assert.strictEqual(sessionKey && Redacted.value(sessionKey), first)
      assert.deepStrictEqual(previousSessionKeys.map(Redacted.value), [second])
    })
  )

  const wrong: ReadonlyArray<readonly [string, Record<string, string>, RegExp]> = [
    ["an empty key", { CUSTODY_SESSION_KEY: "" }, /^CUSTODY_SESSION_KEY: is empty: give 32 bytes in base64/],
    ["a key that is none", { CUSTODY_SESSION_KEY: "not even a key" }, /^CUSTODY_SESSION_KEY: must be base64/],
    ["a short key", { CUSTODY_SESSION_KEY: "AAAA" }, /^CUSTODY_SESSION_KEY: must be 32 bytes, not 3$/],
    [
      "a former key that is none",
      { CUSTODY_SESSION_KEY: first, CUSTODY_PREVIOUS_SESSION_KEYS: `${second},no key` },
      /^CUSTODY_PREVIOUS_SESSION_KEYS: its key 2 must be base64/
    ],
    [
      "former keys alone",
      { CUSTODY_PREVIOUS_SESSION_KEYS: first },
      /^CUSTODY_SESSION_KEY: is missing, and there are previous keys/
    ],
    [
      "a variable that nobody reads in its place",
      { CUSTODY_SESSION_KEY_FILE: "/run/secrets/key" },
      /^CUSTODY_SESSION_KEY: has no value, and the SDK does not read CUSTODY_SESSION_KEY_FILE: give the key itself/
    ],
    [
      "several of them",
      { CUSTODY_SESSION_KEY_FILE: "/run/key", CUSTODY_SESSION_KEY_VAULT_PATH: "a", CUSTODY_SESSION_KEY_VAULT: "b" },
      /^CUSTODY_SESSION_KEY: has no value, and the SDK does not read CUSTODY_SESSION_KEY_FILE, CUSTODY_SESSION_KEY_VAULT, CUSTODY_SESSION_KEY_VAULT_PATH: give the key itself/
    ],
    [
      "one with a number",
      { CUSTODY_SESSION_KEY_999999999: first },
      /^CUSTODY_SESSION_KEY: has no value, and the SDK does not read CUSTODY_SESSION_KEY_999999999: give the key itself/
    ],
    [
      "an empty key beside one that nobody reads",
      { CUSTODY_SESSION_KEY: "", CUSTODY_SESSION_KEY_FILE: "/run/secrets/key" },
      /^CUSTODY_SESSION_KEY: has no value, and the SDK does not read CUSTODY_SESSION_KEY_FILE: give the key itself/
    ]
  ]
  it.effect.each(wrong)("%s: refused under the name of the variable", ([, env, said]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(sessionKeys(env))
      assert.strictEqual(error._tag, "ConfigurationInvalid")
      assert.match(error.message, said)
    })
  )
})

const apiKeys: ReadonlyArray<readonly [key: string, sent: Array<string>]> = [
  ["one-time-api-key\n", [`{"apiKey":"one-time-api-key"}`]],
  [" one-time-api-key\r\n", [`{"apiKey":"one-time-api-key"}`]],
  [" \n", []]
]
it.live.each(apiKeys)(
  "the API key %j is sent without the white space around it, and is none without anything else",
  ([key, sent]) =>
    Effect.gen(function* () {
      const server = yield* wireServer(({ target }) => (target.includes("/auth/") ? generated : details))
      const env = {
        CUSTODY_BASE_URL: server.baseUrl,
        CUSTODY_SESSION_FILE: `${yield* temporaryDirectory}/session.db`,
        CUSTODY_API_KEY: key
      }
      const read = Vaults.details().pipe(
        Effect.provide(NodeCustody.layerConfigWith({})),
        Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromEnv({ env }))
      )
      yield* Effect.ignore(read)
      const exchanges = server.received.filter(({ target }) => target.endsWith("/auth/generate-tokens"))
      assert.deepStrictEqual(
        exchanges.map(({ body }) => String(body)),
        sent
      )
    })
)
