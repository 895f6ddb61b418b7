/** The public modules of the packages: those that have an export path and are stable. */
import * as Path from "node:path"
import { modulesOf, packages, specifierOf } from "../workspace.ts"

export interface PublicModule {
  readonly name: string
  /** The import path, such as `@effect-custody/core/Amount`. */
  readonly specifier: string
  /** The source file, relative to the root of the repository. */
  readonly file: string
}

/** The modules of each package. */
export const groups = packages.map((owner) => ({
  title: Path.posix.basename(owner.name),
  modules: modulesOf(owner)
    .filter(({ isStable, name }) => name !== "index" && isStable)
    .map(({ name, source }): PublicModule => ({
      name,
      specifier: specifierOf(owner.name, name),
      file: `${owner.directory}/src/${source}.ts`
    }))
}))

export const modules = groups.flatMap(({ modules }) => modules)

/** The page of a module, relative to the index, without `.md`. */
export const pageOf = ({ specifier }: PublicModule): string => specifier.slice(specifier.indexOf("/") + 1)
