/** What `publint` and `attw` (are the types wrong?) say of a tarball, for those who import it as ESM. */
import { readFileSync } from "node:fs"
import { modulesOf, type Packed } from "../../workspace.ts"
import { loadTool } from "./run.ts"

interface Problem {
  readonly kind: string
  readonly entrypoint?: string
  readonly resolutionKind?: string
}

/** The packages are ESM alone, on Node that can `require` ESM: what concerns CommonJS and `node10` is no fault. */
const isForEsm = ({ kind, resolutionKind }: Problem) =>
  kind !== "CJSResolvesToESM" && resolutionKind !== "node10" && resolutionKind !== "node16-cjs"

export const attw = async ({ manifest, tarball, ...one }: Packed): Promise<ReadonlyArray<string>> => {
  const { checkPackage, createPackageFromTarballData } = await loadTool("@arethetypeswrong/core")
  const entrypoints = modulesOf({ manifest, ...one }).map(({ name }) => (name === "index" ? "." : `./${name}`))
  const analysis = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball))), {
    entrypoints
  })
  if (analysis.types === false) return ["it has no types"]
  return (analysis.problems as ReadonlyArray<Problem>)
    .filter(isForEsm)
    .map(({ entrypoint = "", kind, resolutionKind = "" }) => `${kind} ${entrypoint} ${resolutionKind}`.trim())
}

export const publint = async ({ manifest, tarball }: Packed): Promise<ReadonlyArray<string>> => {
  const [{ publint: check }, { formatMessage }] = await Promise.all([loadTool("publint"), loadTool("publint/utils")])
  const pack = { tarball: Uint8Array.from(readFileSync(tarball)).buffer }
  const { messages, pkg } = await check({ pack, strict: true })
  return messages.map((message: unknown) => formatMessage(message, pkg ?? manifest, { color: false }))
}
