/**
 * The scripts with several programs: `node tools/run.ts GROUP [NAME] [ARGUMENT…]` runs a program of the group, and the
 * group's first one when no name is given.
 */
import { spawn } from "node:child_process"
import * as Path from "node:path"
import { root } from "./workspace.ts"

type Programs = Readonly<Record<string, string>>

const groups: Readonly<Record<string, Programs>> = {
  bench: {
    calls: "bench/src/calls/main.ts",
    archive: "bench/src/archive/main.ts",
    endurance: "bench/src/endurance/main.ts",
    ledger: "bench/src/ledger/main.ts",
    "lost-answers": "bench/src/lostAnswers/main.ts",
    own: "bench/src/own/main.ts",
    refresh: "test/session/simulation/contest/main.ts",
    start: "bench/src/start/main.ts"
  },
  docs: {
    site: "tools/site/build.ts",
    endpoints: "test/repository/endpointTable.ts",
    operations: "tools/docs/operations.ts",
    specification: "test/specification/table.ts",
    summaries: "tools/docs/summaries.ts"
  },
  release: {
    check: "tools/release/check.ts",
    image: "tools/release/image.ts",
    install: "tools/release/install.ts",
    manifests: "tools/release/manifests.ts",
    names: "tools/release/names.ts",
    pack: "tools/release/pack.ts",
    peers: "tools/release/peers.ts",
    publish: "tools/release/publish.ts",
    snapshot: "tools/release/snapshot.ts",
    try: "tools/release/try/main.ts",
    version: "tools/release/version.ts"
  },
  simulate: {
    session: "test/session/simulation/main.ts",
    explore: "test/session/explorer/main.ts",
    "explore-ledger": "test/payouts/explorer/main.ts",
    fuzz: "packages/sdk/test/fuzzCommand.ts",
    money: "test/money/simulation/main.ts",
    ledger: "test/payouts/simulation/main.ts"
  }
}

const [group = "", ...given] = process.argv.slice(2)
const programs = groups[group] ?? {}
const [first = ""] = Object.keys(programs)
const [name = "", ...args] = given[0] === undefined || given[0].startsWith("-") ? [first, ...given] : given
const program = programs[name]
if (program === undefined) {
  console.error(`usage: pnpm run ${group} ${Object.keys(programs).join(" | ")}`)
  process.exit(2)
}
const child = spawn(process.execPath, [Path.join(root, program), ...args], { stdio: "inherit" })
process.once("SIGTERM", () => child.kill())
child.once("exit", (code) => {
  process.exitCode = code ?? 1
})
