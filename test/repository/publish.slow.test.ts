/** Runs `tools/release/publish.ts` as the workflow does, against a registry that only counts. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, mkdtempDisposableSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Os from "node:os"
import * as Path from "node:path"
import { root } from "../../tools/workspace.ts"
import * as Program from "../support/childProgram.ts"

const publish = Path.join(root, "tools/release/publish.ts")

/** A registry that has one package, and takes every other. */
const startRegistry = Effect.acquireRelease(
  Effect.promise(async () => {
    const published: Array<string> = []
    const server = createServer((request, response) => {
      const name = decodeURIComponent(request.url!.slice(1))
      const there = { name, "dist-tags": { latest: "1.0.0" }, versions: { "1.0.0": { name, version: "1.0.0" } } }
      if (request.method === "PUT") published.push(name)
      const isThere = request.method === "PUT" || name === "@t/there"
      response.writeHead(name === "@t/broken" ? 500 : isThere ? 200 : 404, { "content-type": "application/json" })
      response.end(JSON.stringify(isThere ? there : {}))
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}/`
    return { server, published, host }
  }),
  ({ server }) => Effect.sync(() => server.closeAllConnections())
)

/** Tarballs with their checksums, the dependent ones first. */
const startFolder = (manifests: ReadonlyArray<{ readonly name: string; readonly dependencies?: object }>) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const folder = mkdtempDisposableSync(Path.join(Os.tmpdir(), "effect-custody-publish-"))
      const at = (...path: ReadonlyArray<string>) => Path.join(folder.path, ...path)
      mkdirSync(at("source/package"), { recursive: true })
      mkdirSync(at("tarballs"))
      manifests.forEach((manifest, index) => {
        writeFileSync(at("source/package/package.json"), JSON.stringify({ ...manifest, version: "1.0.0" }))
        execFileSync("tar", ["-czf", at("tarballs", `${index}.tgz`), "-C", at("source"), "package"])
      })
      const sha256 = (content: Buffer | string) => createHash("sha256").update(content).digest("hex")
      const files = readdirSync(at("tarballs")).sort()
      const list = files.map((file) => `${sha256(readFileSync(at("tarballs", file)))}  ${file}\n`).join("")
      writeFileSync(at("tarballs/SHA256SUMS"), list)
      return { folder, home: folder.path, tarballs: at("tarballs"), sums: sha256(list) }
    }),
    ({ folder }) => Effect.sync(() => folder.remove())
  )

const run = Effect.fnUntraced(function* (
  manifests: Parameters<typeof startFolder>[0],
  spoil: (tarballs: string) => void = () => {}
) {
  const { host, published } = yield* startRegistry
  const { home, sums, tarballs } = yield* startFolder(manifests)
  writeFileSync(Path.join(home, ".npmrc"), `registry=http://${host}\n//${host}:_authToken=of-a-test\nfetch-retries=0\n`)
  spoil(tarballs)
  const ran = yield* Program.run([publish, tarballs, "--sums", sums], { HOME: home })
  return { ...ran, published }
})

describe("publishing the tarballs of a release", () => {
  it.live("what the registry lacks is sent, a package after those that it depends on", () =>
    Effect.gen(function* () {
      const { code, errors, output, published } = yield* run([
        { name: "@t/sdk", dependencies: { "@t/vaults": "1.0.0", "@t/there": "1.0.0" } },
        { name: "@t/there" },
        { name: "@t/vaults", dependencies: { "@t/core": "1.0.0" } },
        { name: "@t/core" }
      ])
      assert.strictEqual(code, 0, errors)
      assert.deepStrictEqual(published, ["@t/core", "@t/vaults", "@t/sdk"])
      assert.include(output, "@t/there 1.0.0 is there")
    })
  )

  it.live("nothing is sent if a tarball is not the one that was tried", () =>
    Effect.gen(function* () {
      const { code, errors, published } = yield* run([{ name: "@t/a" }, { name: "@t/b" }], (tarballs) =>
        writeFileSync(Path.join(tarballs, "1.tgz"), "another")
      )
      assert.strictEqual(code, 1)
      assert.include(errors, "1.tgz is not as its checksum says")
      assert.deepStrictEqual(published, [])
    })
  )

  it.live("a registry that does not answer is not one that lacks the package", () =>
    Effect.gen(function* () {
      const { code, published } = yield* run([{ name: "@t/broken" }])
      assert.strictEqual(code, 1)
      assert.deepStrictEqual(published, [])
    })
  )
})
