/** `pnpm release version`: the changesets become versions and changelogs, and what follows from a version follows. */
import { pnpm } from "../workspace.ts"

pnpm(["exec", "changeset", "version"])
pnpm(["release", "manifests"])
pnpm(["install", "--lockfile-only"])
