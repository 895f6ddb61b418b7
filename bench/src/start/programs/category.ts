/** This SDK by its modules: one category, one session file. */
import { NodeCustody } from "@effect-custody/node"
import * as Vaults from "@effect-custody/vaults/Vaults"
import * as Effect from "effect/Effect"
import { answered } from "./answered.ts"

answered(await Effect.runPromise(Effect.provide(Vaults.details(), NodeCustody.layerConfig())))
