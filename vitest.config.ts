import { defineConfig } from "vitest/config"

export default defineConfig({
  test: {
    projects: [
      {
        // Virtual time and layers, nothing global: files may share a worker, which loads Effect once (ten times as fast).
        test: {
          name: "unit",
          include: ["test/**/*.test.ts"],
          exclude: ["test/process/**", "**/node_modules/**"],
          pool: "threads",
          isolate: false,
          maxWorkers: 2,
          testTimeout: 120_000
        }
      },
      {
        // Real processes, killed and restarted: one file at a time, with time to start them.
        test: {
          name: "process",
          include: ["test/process/**/*.test.ts"],
          pool: "forks",
          fileParallelism: false,
          testTimeout: 60_000,
          hookTimeout: 60_000
        }
      }
    ]
  }
})
