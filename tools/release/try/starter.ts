/** `examples/starter`, copied as its user copies it, with its own two commands. */
import { spawn } from "node:child_process"
import { cpSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../../workspace.ts"
import { npm12 } from "./managers.ts"
import { inTool, node, type Ran } from "./run.ts"

interface Tried {
  readonly what: string
  readonly ran: Ran
}

const npm = inTool("npm-12", "bin/npm-cli.js")

const order = { clientId: "alice", assetId: "usdc", to: "0x52908400098527886E0F7030069857D2E4169EE7", amount: "12.50" }

/** Orders a payout of the backend that `npm run dev` starts, twice under one name. */
const payOut = async (address: string) => {
  const put = () =>
    fetch(`${address}/payouts/p-1`, {
      method: "PUT",
      headers: { authorization: "Bearer dev", "content-type": "application/json" },
      body: JSON.stringify(order)
    })
  const first = await put()
  const second = await put()
  const [one, two] = [await first.text(), await second.text()]
  const same =
    JSON.parse(one).transactionId !== undefined && JSON.parse(one).transactionId === JSON.parse(two).transactionId
  return { ok: first.status === 201 && second.ok && same, output: `${first.status} ${one}\n${second.status} ${two}` }
}

const dev = (folder: string): Promise<Ran> =>
  new Promise((resolve) => {
    const start = performance.now()
    const child = spawn(process.execPath, [npm, "run", "dev"], {
      cwd: folder,
      detached: true,
      env: { ...process.env, PORT: "0" },
      stdio: ["ignore", "pipe", "pipe"]
    })
    let output = ""
    let isAsked = false
    const end = (ok: boolean, more: string) => {
      clearTimeout(patience)
      // The whole group: npm passes no signal on.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, "SIGKILL")
      resolve({ ok, output: output + more, stdout: output, seconds: (performance.now() - start) / 1000 })
    }
    const patience = setTimeout(() => end(false, "\nit did not start"), 120_000)
    const hear = (chunk: Buffer) => {
      output += chunk.toString()
      const address = /payouts at (http:\/\/\S+)/.exec(output)?.[1]
      if (address === undefined || isAsked) return
      isAsked = true
      payOut(address).then(
        ({ ok, output: answers }) => end(ok, answers),
        (error: unknown) => end(false, String(error))
      )
    }
    child.stdout.on("data", hear)
    child.stderr.on("data", hear)
    child.once("exit", () => end(false, "\nit ended by itself"))
  })

export const tryStarter = async (folder: string, registry: string): Promise<ReadonlyArray<Tried>> => {
  cpSync(Path.join(root, "examples/starter"), folder, {
    recursive: true,
    filter: (path) => !path.includes("node_modules")
  })
  const installed = await npm12.install(folder, registry)
  if (!installed.ok) return [{ what: "install", ran: installed }]
  return [
    { what: "install", ran: installed },
    { what: "npm test", ran: await node(npm, ["test"], { cwd: folder }) },
    { what: "npm run dev, and a payout", ran: await dev(folder) }
  ]
}
