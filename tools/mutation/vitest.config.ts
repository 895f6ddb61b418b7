/** The session's tests, for `pnpm mutate`: Stryker changes a source in its place, runs the tests that reach it, and restores it. */
import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    include: ["packages/authentication/test/*.test.ts"],
    // The stores have tests of their own.
    exclude: ["**/TokenStore.test.ts", "**/recordCodec.test.ts", "**/*.slow.test.ts"],
    testTimeout: 300_000
  }
})
