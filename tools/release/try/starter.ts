/** `examples/starter`, copied as its user copies it, with its own two commands. */
import { cpSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../../workspace.ts"
import { npm12 } from "./managers.ts"
import { inTool, node, type Ran, started } from "./run.ts"

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

const dev = async (folder: string): Promise<Ran> => {
  const start = performance.now()
  const options = { cwd: folder, env: { PORT: "0" } }
  const { found, said, stop } = started(
    process.execPath,
    [npm, "run", "dev"],
    options,
    /payouts at (?<address>http:\/\/\S+)/
  )
  const { ok, output } = await found
    .then(({ address = "" }) => payOut(address))
    .catch((error: unknown) => ({ ok: false, output: String(error) }))
  stop()
  return { ok, output: said() + output, stdout: said(), seconds: (performance.now() - start) / 1000 }
}

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
