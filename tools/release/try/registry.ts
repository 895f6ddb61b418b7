/** A registry of our packages alone, so that each package manager finds them as it would find published ones. */
import { createHash, randomUUID } from "node:crypto"
import { readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Path from "node:path"
import type { Packed } from "../../workspace.ts"
import { must, run } from "./run.ts"

export interface Registry extends AsyncDisposable {
  /** Where the packages of our scope are; all others are where they always are. */
  readonly url: string
}

/** The manifest inside a tarball: the published one, which is not the one of the workspace. */
const publishedManifest = async (tarball: string) => {
  const { stdout } = await must(run("tar", ["-xzOf", tarball, "package/package.json"], { cwd: Path.dirname(tarball) }))
  return JSON.parse(stdout)
}

export const serve = async (packed: ReadonlyArray<Packed>): Promise<Registry> => {
  // A path of its own for each run: no cache may answer with the packages of another.
  const prefix = `/${randomUUID()}`
  const answers = new Map<string, { readonly type: string; readonly body: Buffer | string }>()
  const server = createServer((request, response) => {
    const answer = answers.get(decodeURIComponent(request.url ?? ""))
    if (answer === undefined) response.writeHead(404).end("{}")
    else response.writeHead(200, { "content-type": answer.type }).end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}${prefix}`

  for (const { name, tarball } of packed) {
    const manifest = await publishedManifest(tarball)
    const body = readFileSync(tarball)
    const path = `${prefix}/${name}/-/${Path.basename(name)}-${manifest.version}.tgz`
    const dist = {
      tarball: new URL(path, url).href,
      integrity: `sha512-${createHash("sha512").update(body).digest("base64")}`,
      shasum: createHash("sha1").update(body).digest("hex")
    }
    const document = {
      name,
      "dist-tags": { latest: manifest.version },
      time: { [manifest.version]: "2000-01-01T00:00:00.000Z" },
      versions: { [manifest.version]: { ...manifest, dist } }
    }
    answers.set(path, { type: "application/octet-stream", body })
    answers.set(`${prefix}/${name}`, { type: "application/json", body: JSON.stringify(document) })
  }
  return {
    url,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
  }
}
