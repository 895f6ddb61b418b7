/** Which hosts are reached through the proxy. */
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Egress from "../src/internal/egress.ts"

const proxyFor = (options: Egress.Options) => Result.getOrThrow(Egress.make(options)).proxyFor

describe("the proxy of a host", () => {
  it.each([
    ["", false],
    ["*", true],
    ["api.example", true],
    ["API.Example", true],
    ["example", true],
    [".example", true],
    ["*.example", true],
    ["ample", false],
    ["pi.example", false],
    ["other.example, api.example", true],
    ["other.example api.example:443", true],
    ["api.example:8443", false],
    [",,", false]
  ])("NO_PROXY=%j exempts api.example: %s", (noProxy, isExempt) => {
    const proxy = proxyFor({ proxy: Redacted.make("http://proxy.example:3128"), noProxy })("api.example", 443)
    assert.strictEqual(proxy === undefined, isExempt)
  })

  it.each([
    ["[::1]", "::1", true],
    ["::1", "::1", true],
    ["[::1]:8443", "::1", false],
    ["127.0.0.1", "127.0.0.1", true],
    ["10.0.0.0/8", "10.1.2.3", true],
    ["10.0.0.0/8", "11.1.2.3", false],
    ["10.0.0.0/8", "10.example", false],
    ["fd00::/8", "fd12::1", true],
    ["10.0.0.0/33", "10.1.2.3", false]
  ])("NO_PROXY=%j exempts the address %s: %s", (noProxy, host, isExempt) => {
    const proxy = proxyFor({ proxy: Redacted.make("http://proxy.example:3128"), noProxy })(host, 443)
    assert.strictEqual(proxy === undefined, isExempt)
  })

  it.each([
    ["http://proxy.example:3128", false, "proxy.example", 3128, undefined],
    ["proxy.example:3128", false, "proxy.example", 3128, undefined],
    ["https://[::1]", true, "::1", 443, undefined],
    ["http://a%40b:c%3Ad@proxy.example", false, "proxy.example", 80, "a@b:c:d"]
  ] as const)("the address %s of a proxy is read", (address, isSecure, host, port, login) => {
    const proxy = proxyFor({ proxy: Redacted.make(address) })("api.example", 443)!
    assert.deepInclude(proxy, { isSecure, host, port })
    const authorization = login === undefined ? undefined : `Basic ${Buffer.from(login).toString("base64")}`
    assert.strictEqual(proxy.authorization && Redacted.value(proxy.authorization), authorization)
  })
})
