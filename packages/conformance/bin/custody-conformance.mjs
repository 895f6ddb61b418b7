#!/usr/bin/env node
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { main } from "@effect-custody/conformance/Command"
import * as Effect from "effect/Effect"

NodeRuntime.runMain(Effect.provide(main, NodeServices.layer))
