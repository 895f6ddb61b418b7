/** The mistakes in the adapters of the second service. The default tests try those of the first. */
import { describe } from "@effect/vitest"
import { paysOneAtMost } from "./mistaken.ts"
import { transfers } from "./transfers.ts"

describe(`a ledger of ${transfers.service.name} under mistaken adapters`, () => paysOneAtMost(transfers))
