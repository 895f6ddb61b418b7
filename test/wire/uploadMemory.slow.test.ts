import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { execFile } from "node:child_process"
import { promisify } from "node:util"
import { uploadServer } from "../support/servers/uploadServer.ts"

describe("an upload over a socket", () => {
  it.live("an upload of 500 MB needs less than 64 MB of memory", () =>
    Effect.gen(function* () {
      const server = yield* uploadServer()
      const program = new URL("../support/worlds/bigUpload.ts", import.meta.url).pathname
      const { stdout } = yield* Effect.promise(() =>
        promisify(execFile)(process.execPath, [program, server.origin, "500"], { maxBuffer: 10_000_000 })
      )
      const { megabytes } = JSON.parse(stdout) as { readonly megabytes: number }
      assert.isAbove(server.uploads[1]?.size ?? 0, 500 * 2 ** 20)
      assert.isBelow(megabytes, 64)
    })
  )
})
