/** Every category that the emulator plays: one line each. */
import { authentication } from "./authentication.ts"
import type { Category } from "./category.ts"
import { vaults } from "./vaults.ts"

export const categories: ReadonlyArray<Category> = [authentication, vaults]
