/**
 * `pnpm release publish`: builds, checks, and publishes every package whose version the registry does not have yet,
 * with a tag for each. `--dry-run` shows what would be sent.
 */
import { parseArgs } from "node:util"
import { eachPackage, pnpm } from "../workspace.ts"

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } })

pnpm(["build"])
pnpm(["release", "check", ...(values["dry-run"] ? ["--rehearsal"] : [])])
if (values["dry-run"]) pnpm([...eachPackage, "publish", "--dry-run", "--no-git-checks"])
else pnpm(["exec", "changeset", "publish"])
