import { Environment } from "@effect-custody/core"
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"

/** Which option an environment is refused for, if it is. */
const refusedFor = (environment: Environment.Environment): string | undefined =>
  Result.match(Environment.validate(environment), { onSuccess: () => undefined, onFailure: ({ option }) => option })

const organization = (subdomain: string, host = "custody.example") => Environment.production({ subdomain, host })

describe("an environment", () => {
  it("has the address that the specification gives it", () => {
    assert.strictEqual(
      Environment.production({ subdomain: "acme", host: "custody.example" }).baseUrl,
      "https://acme.custody.example/api/integration"
    )
    assert.strictEqual(
      Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" }).baseUrl,
      "https://acme.sandbox.custody.example/api/integration"
    )
    assert.strictEqual(
      Environment.production({ subdomain: "acme", host: "custody.example:8443" }).baseUrl,
      "https://acme.custody.example:8443/api/integration"
    )
  })

  it("is local at the whole base address, with or without a slash at its end", () => {
    for (const url of ["http://127.0.0.1:4010/api/integration", "http://127.0.0.1:4010/api/integration//"]) {
      assert.strictEqual(Environment.local(url).baseUrl, "http://127.0.0.1:4010/api/integration")
      assert.strictEqual(Environment.local(new URL(url)).baseUrl, "http://127.0.0.1:4010/api/integration")
    }
  })

  it("has a subdomain that is one label of a host name", () => {
    for (const subdomain of ["acme", "a", "acme-2", "ACME", "7"])
      assert.isUndefined(refusedFor(organization(subdomain)))
    for (const subdomain of [
      "",
      " ",
      "a.b",
      "a/b",
      "-a",
      "a-",
      "a:1",
      "a@b",
      "a?b",
      "a#b",
      "a\\b",
      "a\n",
      "é",
      "a".repeat(64)
    ]) {
      assert.strictEqual(refusedFor(organization(subdomain)), "environment.subdomain", JSON.stringify(subdomain))
    }
  })

  it("has a host that is a host name, perhaps with a port", () => {
    for (const host of ["custody.example", "localhost", "custody.example:8443"]) {
      assert.isUndefined(refusedFor(organization("acme", host)))
    }
    for (const host of [
      "",
      ".",
      "custody..example",
      "https://custody.example",
      "custody.example/api",
      "a@b.example",
      "a b",
      "h:"
    ]) {
      assert.strictEqual(refusedFor(organization("acme", host)), "environment.host", JSON.stringify(host))
    }
    assert.strictEqual(refusedFor(organization("acme", "custody.example:65536")), "environment.host")
  })

  it("is reached over TLS, but for the loopback", () => {
    for (const url of [
      "https://custody.example/api/integration",
      "http://localhost:4010",
      "http://127.0.0.1",
      "http://127.8.9.10:1/x",
      "http://[::1]:4010/api",
      // As an URL has it, this is 127.0.0.1.
      "http://2130706433/"
    ]) {
      assert.isUndefined(refusedFor(Environment.local(url)), url)
    }
    for (const url of [
      "http://custody.example/api/integration",
      "http://localhost.custody.example",
      "http://127.0.0.1.custody.example",
      "http://0.0.0.0",
      "http://10.0.0.1",
      "http://[::2]",
      "ftp://127.0.0.1",
      "file:///etc/hosts",
      "javascript:1",
      "custody.example",
      "//custody.example",
      "https://",
      ""
    ]) {
      assert.strictEqual(refusedFor(Environment.local(url)), "environment.url", url)
    }
  })

  it("has an address without credentials, query or fragment, not even empty ones", () => {
    for (const url of [
      "https://alice@custody.example/api",
      "https://alice:secret@custody.example/api",
      "https://custody.example/api?x=1",
      "https://custody.example/api#x",
      // What is appended to these would not become part of the path.
      "https://custody.example/api?",
      "https://custody.example/api#"
    ]) {
      assert.strictEqual(refusedFor(Environment.local(url)), "environment.url", url)
    }
  })

  it("has an address that is sent as it is written", () => {
    for (const url of [
      " https://custody.example/api",
      "https://custody.example/api ",
      "\nhttps://custody.example/api",
      "https://custody.exa\tmple/api",
      "https://custody.example/a\u0000",
      "https:custody.example/api",
      "https:/custody.example/api",
      "https:///custody.example/api",
      "https:\\\\custody.example/api",
      "https://custody.example\\api"
    ]) {
      assert.strictEqual(refusedFor(Environment.local(url)), "environment.url", JSON.stringify(url))
    }
  })

  it("has the address of its organization, also where it was made by hand", () => {
    const acme = organization("acme")
    for (const handmade of [
      { ...acme, baseUrl: "https://mallory.example/api/integration" },
      { ...acme, baseUrl: `${acme.baseUrl}/` },
      { ...acme, organization: { subdomain: "other", host: "custody.example" } },
      { ...acme, kind: "local" as const }
    ]) {
      assert.strictEqual(refusedFor(handmade), "environment.url", JSON.stringify(handmade))
    }
  })

  it("is read in steps in proportion to its size", () => {
    // An expression took 12 s for 100,000 of these slashes.
    const many = "/".repeat(1_000_000)
    assert.strictEqual(Environment.local(`https://custody.example${many}`).baseUrl, "https://custody.example")
    assert.isUndefined(refusedFor(Environment.local(`https://custody.example${many}x`)))
    assert.strictEqual(refusedFor(organization("a".repeat(1_000_000))), "environment.subdomain")
    assert.strictEqual(refusedFor(organization("acme", `${"a.".repeat(1_000_000)}-`)), "environment.host")
    assert.strictEqual(refusedFor(organization("acme", `${"a-".repeat(1_000_000)}.`)), "environment.host")
  })

  it("says nothing of a password in its address", () => {
    const refused = Environment.validate(Environment.local("https://alice:canary@custody.example/api"))
    assert(Result.isFailure(refused))
    assert.notInclude(refused.failure.message, "canary")
    const unreadable = Environment.validate(Environment.local("https://alice:canary@custody.example:port"))
    assert(Result.isFailure(unreadable))
    assert.notInclude(unreadable.failure.message, "canary")
  })

  it("is real unless it is on the loopback, whatever it is called", () => {
    assert.isTrue(Environment.isReal(organization("acme")))
    assert.isTrue(Environment.isReal(Environment.sandbox({ subdomain: "acme", host: "sandbox.custody.example" })))
    assert.isTrue(Environment.isReal(Environment.local("https://acme.custody.example/api/integration")))
    assert.isFalse(Environment.isReal(Environment.local("http://localhost:4010/api/integration")))
    assert.isFalse(Environment.isReal(Environment.local("https://[::1]:4010/api/integration")))
  })
})
