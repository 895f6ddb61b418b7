/** The session's tests, over sources with one mutant in them. */
import { defineConfig } from "vitest/config"
import type { Mutant } from "./mutants.ts"

const mutant: Mutant = JSON.parse(process.env["MUTANT"] ?? "{}")

export default defineConfig({
  plugins: [
    {
      name: "mutant",
      enforce: "pre",
      transform: (code, id) =>
        id.endsWith(`/authentication/src/${mutant.file}`) ? code.replace(mutant.from, () => mutant.to) : undefined
    }
  ],
  test: {
    include: ["test/unit/authentication/*.test.ts"],
    // The stores have tests of their own, and a process of its own knows of no mutant.
    exclude: [
      "test/unit/authentication/TokenStore.test.ts",
      "test/unit/authentication/recordCodec.test.ts",
      "test/unit/authentication/manyTenants.slow.test.ts"
    ],
    pool: "threads",
    isolate: false,
    // Otherwise the first mutant is remembered, and every other one tested in its place.
    fsModuleCache: false,
    testTimeout: 20_000
  }
})
