#!/usr/bin/env node
import { enableCompileCache } from "node:module"

// Must come before anything else is loaded. From the second run on, the command then starts with little more than half
// the work.
enableCompileCache()
const [NodeRuntime, { main, teardown }] = await Promise.all([
  import("@effect/platform-node/NodeRuntime"),
  import("@effect-custody/cli/Command")
])

NodeRuntime.runMain(main, { disableErrorReporting: true, teardown })
