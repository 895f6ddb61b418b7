import { ApiError, EndpointSpec } from "@effect-custody/core"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import { assert, describe, it } from "@effect/vitest"
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as OpenApi from "effect/http-api/OpenApi"
import * as Schema from "effect/Schema"

const success = EndpointSpec.envelope(Schema.Struct({ id: Schema.String, at: Schema.DateTimeUtcFromString }))
const query = { limit: Schema.optionalKey(Schema.Int), tag: Schema.optionalKey(Schema.Array(Schema.String)) }
const payload = Schema.Struct({ amount: Schema.BigDecimal, due: Schema.optionalKey(Schema.DateTimeUtcFromString) })
const params = { id: Schema.String }
const error = ApiError.authenticatedResource
const declare = EndpointSpec.assumed({ safety: "read", section: "a test" })

const effects = HttpApi.make("api").add(
  HttpApiGroup.make("records").add(
    HttpApiEndpoint.get("list", "/records", { query, success, error }).pipe(declare),
    HttpApiEndpoint.post("create", "/records", {
      payload,
      success: success.pipe(HttpApiSchema.status(201)),
      error
    }),
    HttpApiEndpoint.put("icon", "/records/:id/icon", {
      params,
      payload: payload.pipe(HttpApiSchema.asMultipart()),
      success
    })
  )
)

const light = HttpContract.api("api").add(
  HttpContract.group("records").add(
    HttpContract.get("list", "/records", { query, success, error }).pipe(declare),
    HttpContract.post("create", "/records", { payload, success: success.pipe(HttpContract.status(201)), error }),
    HttpContract.put("icon", "/records/:id/icon", {
      params,
      payload: payload.pipe(HttpContract.asMultipart()),
      success
    })
  )
)

describe("HttpContract", () => {
  it("gives the OpenAPI document that Effect's own declarations give", () => {
    assert.deepStrictEqual(OpenApi.fromApi(light), OpenApi.fromApi(effects))
    const change = <A extends typeof effects>(api: A) =>
      HttpApi.make("outer")
        .addHttpApi(api.annotate(OpenApi.Title, "Records").annotateMerge(OpenApi.annotations({ description: "Few" })))
        .prefix("/v1")
        .annotate(OpenApi.Version, "2")
    assert.deepStrictEqual(OpenApi.fromApi(change(light)), OpenApi.fromApi(change(effects)))
    const merge = <A extends typeof effects>(api: A, outer: A) => outer.addHttpApi(api.prefix("/v2"))
    assert.deepStrictEqual(OpenApi.fromApi(merge(light, light)), OpenApi.fromApi(merge(effects, effects)))
  })

  it("annotates under the keys of Effect's OpenApi", () => {
    const annotations = { title: "A", version: "1", description: "B", servers: [{ url: "https://a.example" }] }
    const { description, servers, title, version } = annotations
    assert.deepStrictEqual(
      HttpContract.openApi({ Title: title, Version: version, Description: description, Servers: servers }).mapUnsafe,
      OpenApi.annotations(annotations).mapUnsafe
    )
  })

  it("makes no codec before it is used", () => {
    let isMade = false
    const lazy = new Proxy(payload, {
      get: (target, name, receiver) => {
        if (name === "ast") isMade = true
        return Reflect.get(target, name, receiver)
      }
    })
    const endpoint = HttpContract.post("create", "/records", { payload: lazy, success }).pipe(declare)
    assert.isFalse(isMade)
    assert.isFalse(EndpointSpec.parts(endpoint).payload?.isMultipart)
    assert.isTrue(isMade)
  })
})
