#!/usr/bin/env node
// Must come first, and import nothing: an older Node cannot even parse what follows.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`Node 22.19 or newer is needed; this is ${process.versions.node}.\n`)
  process.exit(1)
}

// Must come before anything else is loaded. From the second run on, the start takes little more than half the work.
const { enableCompileCache } = await import("node:module")
enableCompileCache()
const [NodeRuntime, { main, teardown }] = await Promise.all([
  import("@effect/platform-node/NodeRuntime"),
  import("@effect-custody/cli/Command")
])

NodeRuntime.runMain(main, { disableErrorReporting: true, teardown })
