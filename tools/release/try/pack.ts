/** The tarballs, as they would be published: built, and packed by pnpm. */
import { mkdirSync } from "node:fs"
import * as Path from "node:path"
import { type Package, packages, root } from "../../workspace.ts"
import { must, pnpm } from "./run.ts"

export interface Packed extends Package {
  readonly tarball: string
}

/** Packs what the last build left. */
export const packAll = async (destination: string): Promise<ReadonlyArray<Packed>> => {
  mkdirSync(destination, { recursive: true })
  const filters = packages.flatMap(({ name }) => ["--filter", name])
  await must(pnpm([...filters, "pack", "--pack-destination", destination], { cwd: root }))
  return packages.map((one) => ({
    ...one,
    tarball: Path.join(destination, `${one.name.slice(1).replace("/", "-")}-${one.manifest.version}.tgz`)
  }))
}
