#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import { main, teardown } from "@effect-custody/emulator/Command"

NodeRuntime.runMain(main, { teardown })
