#!/usr/bin/env node
// Must come first, and import nothing: an older Node cannot even parse what follows.
const [major, minor] = process.versions.node.split(".").map(Number)
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(`Node 22.19 or newer is needed; this is ${process.versions.node}.\n`)
  process.exit(1)
}

const [NodeRuntime, NodeServices, { main }, Effect] = await Promise.all([
  import("@effect/platform-node/NodeRuntime"),
  import("@effect/platform-node/NodeServices"),
  import("@effect-custody/conformance/Command"),
  import("effect/Effect")
])

NodeRuntime.runMain(Effect.provide(main, NodeServices.layer))
