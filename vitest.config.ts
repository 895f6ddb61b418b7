import { defineConfig } from "vitest/config"

/** A test's limit is there to end one that hangs. It is never part of what the test says. */
const limit = 300_000

export default defineConfig({
  test: {
    projects: [
      {
        // Virtual time and layers, nothing global: files may share a worker, which loads Effect once (ten times as fast).
        test: {
          name: "unit",
          include: ["{packages/{*,extensions/*}/test,test}/**/*.test.ts", "examples/*/test/**/*.test.ts"],
          exclude: ["**/*.slow.test.ts", "**/node_modules/**"],
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          testTimeout: limit,
          hookTimeout: limit
        }
      },
      {
        // Many seeds, and real processes that are killed and restarted. `pnpm test:slow` runs them. Two files at a time: a
        // file that waits for its processes leaves the cores to the other.
        test: {
          name: "slow",
          include: ["{packages/{*,extensions/*}/test,examples/*/test,test}/**/*.slow.test.ts"],
          pool: "forks",
          maxWorkers: 2,
          maxConcurrency: 3,
          testTimeout: 2 * limit,
          hookTimeout: limit
        }
      }
    ]
  }
})
