import { CustodyEmulator } from "@effect-custody/emulator"
import * as Conformance from "@effect-custody/testing/Conformance"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { layerOf, type Service, services } from "../../../test/support/servers/dialects/contracts.ts"
import type { Answered, Dialect } from "../../../test/support/servers/dialects/dialect.ts"
import { frontClient } from "../../../test/support/servers/dialects/front.ts"

/** Sets a present time. The emulator's clock begins at 0, and its expiry would have fewer than 13 digits. */
const today = TestClock.setTime(1_770_000_000_000)

const run = Effect.gen(function* () {
  yield* today
  const { baseUrl, issueApiKey } = yield* CustodyEmulator
  return yield* Conformance.run({ baseUrl, apiKey: yield* issueApiKey() })
})

/** A run against a dialect in front of an emulator. */
const against = (service: Service, dialect: Dialect = service.dialect) =>
  Effect.gen(function* () {
    const inner = yield* HttpClient.HttpClient
    return yield* run.pipe(
      Effect.provideService(HttpClient.HttpClient, frontClient(dialect)(inner)),
      Effect.provide(layerOf(service))
    )
  }).pipe(Effect.provide(Layer.fresh(CustodyEmulator.layerHttpClient)))

const holding = ({ findings }: Conformance.Report) => findings.filter(({ verdict }) => verdict === "holds").length

const assertConforms = (report: Conformance.Report) => {
  assert.deepStrictEqual(Conformance.deviations(report), [])
  assert.isUndefined(report.cutShort)
  // The contract replaces six statements, and two need a token that expires.
  assert.isAtLeast(holding(report), report.findings.length - 8)
}

describe.each(services)("conformance of $dialect.name", (service) => {
  it.effect("the service conforms under its contract", () =>
    Effect.gen(function* () {
      const report = yield* against(service)
      assertConforms(report)
      assert.isDefined(report.contract)
    })
  )

  it.effect("the emulator conforms under the contract of the service", () =>
    Effect.gen(function* () {
      assertConforms(
        yield* run.pipe(
          Effect.provide(Layer.fresh(CustodyEmulator.layerHttpClient).pipe(Layer.provideMerge(layerOf(service))))
        )
      )
    })
  )
})

const [snakeCase, bare] = services as [Service, Service]

type Edit = (answer: Answered) => Answered

const renamed =
  (from: string, to: string): Edit =>
  (answer) => ({
    ...answer,
    body: JSON.parse(JSON.stringify(answer.body ?? null).replaceAll(`"${from}":`, `"${to}":`))
  })

const said =
  (from: string, to: string): Edit =>
  (answer) => ({ ...answer, body: JSON.parse(JSON.stringify(answer.body ?? null).replaceAll(`"${from}"`, `"${to}"`)) })

const status =
  (from: number, to: number): Edit =>
  (answer) =>
    answer.status === from ? { ...answer, status: to } : answer

describe("a service that breaks its contract in one place", () => {
  it.effect.each([
    ["the envelope has another name", snakeCase, renamed("result", "data"), "envelope.data"],
    ["the access token has another name", snakeCase, renamed("access_token", "accessToken"), "session.access-token"],
    ["a code is in another place", snakeCase, renamed("code", "kind"), "error.code"],
    ["the messages of fields are in another place", snakeCase, renamed("details", "fields"), "error.fields"],
    ["a code is not in the contract", snakeCase, said("invalid_api_key", "no_such_key"), "generate.invalid-key"],
    ["a code means something else", snakeCase, said("invalid_token", "bad_request"), "code.token-missing"],
    ["a success has another status", bare, status(200, 201), "generate.created"],
    ["a refusal has another status", bare, status(401, 403), "code.token-missing"],
    ["a body is not bare", bare, (answer) => ({ ...answer, body: { data: answer.body } }), "session.access-token"]
  ] as ReadonlyArray<readonly [string, Service, Edit, string]>)("a run finds that %s", ([, service, edit, id]) =>
    Effect.gen(function* () {
      const { dialect } = service
      const broken: Dialect = { ...dialect, toTheirs: (asked, answer) => edit(dialect.toTheirs(asked, answer)) }
      const report = yield* against(service, broken)
      assert.include(
        Conformance.deviations(report).map((deviation) => deviation.id),
        id
      )
    })
  )
})
