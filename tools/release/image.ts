/**
 * `pnpm release image`: builds the image of the `Dockerfile`, starts the emulator in a container, and lets the command of
 * a second container call it. Without a Docker that answers, says that this is skipped.
 */
import { execFileSync, spawn } from "node:child_process"
import { root } from "../workspace.ts"

const docker = (...args: ReadonlyArray<string>): string =>
  execFileSync("docker", args, {
    cwd: root,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    timeout: 1_800_000
  })

const isThere = () => {
  try {
    execFileSync("docker", ["info"], { stdio: "ignore", timeout: 30_000 })
    return true
  } catch {
    return false
  }
}

const tag = "custody:try"
const name = `custody-try-${process.pid}`

/** What the emulator's container says when it can be reached. */
const started = () =>
  new Promise<string>((resolve, reject) => {
    const child = spawn("docker", ["run", "--rm", "--name", name, tag, "emulator", "--port", "4010"])
    let said = ""
    const hear = (chunk: Buffer) => {
      said += chunk.toString()
      const key = /API key: (\S+)/.exec(said)?.[1]
      if (key !== undefined) resolve(key)
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("exit", (code) => reject(new Error(`the emulator ended with ${code}: ${said}`)))
    setTimeout(() => reject(new Error(`the emulator does not start: ${said}`)), 120_000).unref()
  })

if (!isThere()) console.log("── skipped: no Docker answers, so the image was not built")
else {
  docker("build", "--tag", tag, ".")
  try {
    const key = await started()
    const settings = ["CUSTODY_BASE_URL=http://127.0.0.1:4010/api/integration", "CUSTODY_ENVIRONMENT=emulator"]
    // In the network of the first container: tokens travel in clear text only within one machine.
    const variables = [...settings, `CUSTODY_API_KEY=${key}`].flatMap((variable) => ["--env", variable])
    const answer = docker("run", "--rm", "--network", `container:${name}`, ...variables, tag, "call", "vaults.details")
    JSON.parse(answer)
    console.log("✓ the image starts: the command in one container has called the emulator in another")
  } finally {
    docker("rm", "--force", name)
  }
}
