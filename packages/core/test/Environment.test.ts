import { Environment } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

const isRefused = (environment: Environment.Environment): boolean => Result.isFailure(Environment.validate(environment))
const { at, emulator, production, sandbox } = Environment

describe("an environment", () => {
  it("an environment has the address in the specification", () => {
    const url = "https://acme.custody.example:8443/api/integration"
    assert.strictEqual(production({ subdomain: "acme", host: "custody.example:8443" }).baseUrl, url)
    assert.strictEqual(sandbox({ subdomain: "acme", host: "custody.example:8443" }).baseUrl, url)
    for (const end of ["", "//"]) {
      assert.strictEqual(at(`http://127.0.0.1:4010/api${end}`).baseUrl, "http://127.0.0.1:4010/api")
      assert.strictEqual(at(new URL(`http://127.0.0.1:4010/api${end}`)).baseUrl, "http://127.0.0.1:4010/api")
    }
  })

  it("an environment is refused if its subdomain or its host is wrong, and the error says which", () => {
    const optionOf = (organization: { readonly subdomain: string; readonly host: string }) => {
      const refused = Environment.validate(production(organization))
      return Result.isFailure(refused) ? refused.failure.option : undefined
    }
    assert.strictEqual(optionOf({ subdomain: "acme.eu", host: "custody.example" }), "environment.subdomain")
    assert.strictEqual(optionOf({ subdomain: "acme", host: "https://custody.example" }), "environment.host")
    assert.strictEqual(optionOf({ subdomain: "acme", host: "custody.example" }), undefined)
    assert.isTrue(isRefused({ kind: "production", baseUrl: "https://custody.example/api" }))
    for (const subdomain of ["acme", "a", "acme-2", "ACME", "7"]) {
      assert.isFalse(isRefused(production({ subdomain, host: "custody.example" })), subdomain)
    }
    const hosts = ["", ".", "custody..example", "https://custody.example", "custody.example/api", "a@b.example", "a b"]
    for (const host of [...hosts, "h:", "custody.example:65536", `${"a.".repeat(1_000_000)}-`]) {
      assert.isTrue(isRefused(production({ subdomain: "acme", host })), JSON.stringify(host.slice(0, 99)))
    }
    const subdomains = [
      "",
      " ",
      "acme.eu",
      "a/b",
      "evil.example/",
      "-a",
      "a-",
      "a:1",
      "a@b",
      "a?b",
      "a#b",
      "a\\b",
      "a\n",
      "é"
    ]
    for (const subdomain of [...subdomains, "a".repeat(64), "a".repeat(1_000_000)]) {
      assert.isTrue(isRefused(sandbox({ subdomain, host: "custody.example" })), JSON.stringify(subdomain.slice(0, 99)))
    }
  })

  it.each([
    "https://custody.example/api/integration",
    "http://localhost:4010",
    "http://127.0.0.1",
    "http://127.8.9.10:1/x",
    "http://[::1]:4010/api",
    // As an URL has it, this is 127.0.0.1.
    "http://2130706433/"
  ])("an environment may be at %s", (url) => {
    assert.isFalse(isRefused(at(url)))
  })

  it.each([
    // A token would travel in clear.
    "http://custody.example/api/integration",
    "http://localhost.custody.example",
    "http://127.0.0.1.custody.example",
    "http://0.0.0.0",
    "http://10.0.0.1",
    "http://[::2]",
    // They are no address of a service.
    "ftp://127.0.0.1",
    "file:///etc/hosts",
    "javascript:1",
    "custody.example",
    "//custody.example",
    "https://",
    "",
    "https://alice@custody.example/api",
    "https://alice:canary@custody.example/api",
    "https://alice:canary@custody.example:port",
    // What is appended to these would not become part of the path.
    "https://custody.example/api?",
    "https://custody.example/api?x=1",
    "https://custody.example/api#",
    // They would not be sent as they are written.
    " https://custody.example/api",
    "https://custody.example/api ",
    "https://custody.exa\tmple/api",
    "https://custody.example/a\u0000",
    "https:custody.example/api",
    "https:/custody.example/api",
    "https:///custody.example/api",
    "https:\\\\custody.example/api",
    "https://custody.example\\api"
  ])("an environment may not be at %j, and the error shows no password", (url) => {
    const refused = Environment.validate(at(url))
    assert(Result.isFailure(refused))
    assert.strictEqual(refused.failure.option, "environment")
    assert.notInclude(refused.failure.message, "canary")
  })

  it("an emulator is one because the program says so, never because of its address", () => {
    assert.isTrue(Environment.isReal(sandbox({ subdomain: "acme", host: "sandbox.custody.example" })))
    for (const url of ["https://acme.custody.example/api", "http://localhost:4010/api", "https://[::1]:4010/api"]) {
      assert.isTrue(Environment.isReal(at(url)), url)
    }
    assert.isFalse(Environment.isReal(emulator("http://localhost:4010/api")))
    assert.strictEqual(emulator(new URL("http://localhost:4010/api/")).baseUrl, "http://localhost:4010/api")
  })

  it.each(["http://localhost:4010", "http://127.8.9.10:1/x", "https://[::1]:4010/api"])(
    "an emulator may be at %s",
    (url) => assert.isFalse(isRefused(emulator(url)))
  )

  it.each([
    "https://acme.custody.example/api/integration",
    "https://10.0.0.1/api",
    "http://custody.example",
    "nowhere"
  ])("no emulator is at %s, where a real service may be", (url) => assert.isTrue(isRefused(emulator(url))))
})
