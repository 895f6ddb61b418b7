import { assert, describe, it } from "@effect/vitest"
import { spawn } from "node:child_process"
import { createHash } from "node:crypto"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { request } from "node:http"
import { createInterface } from "node:readline"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"

const piece = new Uint8Array(64 * 1024).fill(120)

const hashOf = (pieces: number): string => {
  const hash = createHash("sha256")
  for (let n = 0; n < pieces; n++) hash.update(piece)
  return hash.digest("hex")
}

describe("an upload of 500 MB", () => {
  const bin = new URL("../../../packages/emulator/bin/custody-emulator.mjs", import.meta.url).pathname
  const megabytes = 500

  /** The most memory that a process has had, in megabytes. */
  const peakOf = (pid: number): number =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1024

  it.skipIf(process.platform !== "linux")(
    "takes the server less than 64 MB more than one of 50 MB, and is known by its digest",
    async () => {
      // Garbage is collected early: counted is what the server holds, not what it has let go.
      const node = ["--max-semi-space-size=1"]
      const child = spawn(process.execPath, [...node, bin, "--quiet"], { stdio: ["ignore", "pipe", "inherit"] })
      try {
        const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
        const baseUrl = String((await lines.next()).value)
          .split(" ")
          .at(-1)!
        const apiKey = String((await lines.next()).value)
          .split(" ")
          .at(-1)!
        const tokens = await fetch(`${baseUrl}/auth/generate-tokens`, {
          method: "POST",
          body: JSON.stringify({ apiKey })
        })
        const { data } = (await tokens.json()) as { readonly data: { readonly accessToken: string } }

        const create = async (pieces: number) => {
          const out = request(`${baseUrl}/nfts/create`, {
            method: "POST",
            headers: { "x-access-token": data.accessToken, "content-type": "multipart/form-data; boundary=b" }
          })
          const answered = once(out, "response")
          await pipeline(
            Readable.from(
              (function* () {
                yield `--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nA\r\n`
                yield `--b\r\nContent-Disposition: form-data; name="networkId"\r\n\r\nethereum\r\n`
                yield `--b\r\nContent-Disposition: form-data; name="file"; filename="big.bin"\r\n\r\n`
                for (let n = 0; n < pieces; n++) yield piece
                yield "\r\n--b--\r\n"
              })()
            ),
            out
          )
          const [response] = await answered
          return JSON.parse((await response.toArray()).join(""))
        }

        // Everything is loaded, and what the garbage collector lets lie lies about.
        await create(16 * 50)
        const before = peakOf(child.pid!)
        const { data: nft } = await create(16 * megabytes)
        const held = peakOf(child.pid!) - before
        assert.strictEqual(nft.fileDetails.size, megabytes * 2 ** 20)
        assert.strictEqual(nft.fileDetails.sha256, hashOf(16 * megabytes))
        assert.isBelow(held, 64)
      } finally {
        child.kill("SIGKILL")
      }
    }
  )
})
