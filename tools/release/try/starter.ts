/** `examples/starter`, copied as its user copies it, with its own two commands. */
import { cpSync } from "node:fs"
import * as Path from "node:path"
import { root } from "../../workspace.ts"
import { npm12 } from "./managers.ts"
import { inTool, must, node, started } from "./run.ts"

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
  if (first.status !== 201 || !second.ok || !same) throw new Error(`${first.status} ${one}\n${second.status} ${two}`)
}

const dev = async (folder: string): Promise<void> => {
  const options = { cwd: folder, env: { PORT: "0" } }
  const ready = /payouts at (?<address>http:\/\/\S+)/
  const { found, said, stop } = started(process.execPath, [npm, "run", "dev"], options, ready)
  try {
    await payOut((await found)["address"]!)
  } catch (error) {
    throw new Error(`${said()}${String(error)}`, { cause: error })
  } finally {
    stop()
  }
}

/** The steps of its user, in order. */
export const starterSteps = (folder: string, registry: string) => [
  {
    what: "install",
    run: () => {
      const filter = (path: string) => !path.includes("node_modules")
      cpSync(Path.join(root, "examples/starter"), folder, { recursive: true, filter })
      return must(npm12.install(folder, registry))
    }
  },
  { what: "npm test", run: () => must(node(npm, ["test"], { cwd: folder })) },
  { what: "npm run dev, and a payout", run: () => dev(folder) }
]
