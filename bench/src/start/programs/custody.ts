/** This SDK, with a session that an earlier process has stored. */
import { NodeCustody } from "@effect-custody/node"
import { Vaults } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import { answered } from "./answered.ts"

answered(await Effect.runPromise(Effect.provide(Vaults.details(), NodeCustody.layerConfig())))
