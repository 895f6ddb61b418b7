/**
 * Prints the files that a call crosses, in the order in which the call first enters them:
 *
 *   pnpm trace read | write | list | unknown | 498 | payout   prints the files of one call
 *   pnpm trace                                                prints the numbers of all calls, and fails if one is too high
 */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { root } from "../workspace.ts"
import { type CallName, calls } from "./calls.ts"
import type { Crossed } from "./process.ts"

const start = (program: string, ...args: ReadonlyArray<string>): ChildProcess =>
  fork(join(import.meta.dirname, program), args, { execArgv: ["--disable-warning=ExperimentalWarning"] })

/** The first message of a process. */
const messageOf = async (child: ChildProcess): Promise<unknown> => {
  const [message] = await Promise.race([
    once(child, "message"),
    once(child, "exit").then(([code]) => Promise.reject(new Error(`The process ended with ${code}`)))
  ])
  return message
}

const names: ReadonlyArray<CallName> = ["read", "write", "list", "unknown", "498", "payout"]
const asked = process.argv[2]
const [only] = names.filter((name) => name === asked)
if (asked !== undefined && only === undefined) {
  console.error(`usage: pnpm trace [${names.join(" | ")}]`)
  process.exit(2)
}

const lengthOf = (file: string): number => readFileSync(join(root, file), "utf8").split("\n").length - 1

const print = (name: CallName, crossed: ReadonlyArray<Crossed>): void => {
  const byPackage = Map.groupBy(crossed, ({ file }) =>
    file.split("/").at(file.startsWith("packages/extensions/") ? 2 : 1)
  )
  const parts = [...byPackage].map(([folder, files]) => `${folder} ${files.length}`).join(", ")
  const lines = crossed.reduce((sum, { file }) => sum + lengthOf(file), 0)
  console.log(`${name}: ${crossed.length} files of at most ${calls[name].most} (${parts}), ${lines} lines`)
  if (only === undefined) return
  for (const { file, functions } of crossed) console.log(`  ${file}: ${[...new Set(functions)].join(", ")}`)
}

for (const name of only === undefined ? names : [only]) {
  const service = start("service.ts")
  const crossed = (await messageOf(
    start("process.ts", name, String(await messageOf(service)))
  )) as ReadonlyArray<Crossed>
  service.kill()
  print(name, crossed)
  if (crossed.length > calls[name].most) process.exitCode = 1
}
