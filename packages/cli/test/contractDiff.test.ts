/** `custody contract diff`: which confirmed operations a new version of the document concerns. */
import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, FileSystem, Path } from "effect"
import { custody, inDirectory } from "./runCustody.ts"

const document = (body: object, ...paths: ReadonlyArray<string>) => ({
  openapi: "3.0.3",
  info: { title: "Acme", version: "1" },
  servers: [{ url: "https://acme.custody.example/api/integration/v2" }],
  paths: Object.fromEntries(
    paths.map((path) => [
      path,
      { post: { requestBody: { content: { "application/json": { schema: body } } }, responses: { 201: {} } } }
    ])
  )
})

const contract = {
  defaults: { prefix: "/v2" },
  operations: {
    "transactions.send": { path: "/transfers", constants: { kind: "payout" } },
    "transactions.transfer": { path: "/transfers", constants: { kind: "book" } }
  }
}

describe("custody contract diff", () => {
  it.effect.each([
    ["below the address of the server, without the prefix", "/transfers", "/vault/transfers"],
    ["with the prefix", "/v2/transfers", "/old/v2/transfers"]
  ] as const)("names every confirmed operation of a changed route %s", ([, path, other]) =>
    Effect.gen(function* () {
      const fileSystem = yield* FileSystem.FileSystem
      const { join } = yield* Path.Path
      const directory = yield* inDirectory
      const place = (name: string) => join(directory, name)
      const write = (name: string, value: object) => fileSystem.writeFileString(place(name), JSON.stringify(value))
      yield* write("contract.json", contract)
      yield* write("before.json", document({ type: "object" }, other, path))
      yield* write("after.json", document({ type: "object", required: ["to"], properties: { to: {} } }, other, path))

      const files = [place("before.json"), place("after.json"), "--contract", place("contract.json")]
      const { fails, said } = yield* custody(["contract", "diff", ...files])
      assert.isTrue(fails)
      assert.include(said, `changed  POST ${path} (transactions.send, transactions.transfer)`)
      assert.include(said, "2 operations of the document changed; 2 of them are confirmed")
    }).pipe(Effect.scoped, Effect.provide(NodeServices.layer))
  )
})
