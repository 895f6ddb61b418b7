/** The workspace as its own scripts see it: the packages that are published, and who publishes them. */
import { execFileSync } from "node:child_process"
import { existsSync, globSync, mkdirSync, readFileSync } from "node:fs"
import * as Path from "node:path"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly description?: string
  readonly license?: string
  readonly repository?: unknown
  readonly keywords?: ReadonlyArray<string>
  readonly bin?: Record<string, string>
  readonly exports?: Record<string, unknown>
  readonly publishConfig?: Record<string, unknown>
  readonly scripts?: Record<string, string>
  readonly dependencies?: Record<string, string>
  readonly peerDependencies?: Record<string, string>
  readonly devDependencies?: Record<string, string>
}

export interface Package {
  /** Absolute. */
  readonly folder: string
  /** Relative to the root, with slashes. */
  readonly directory: string
  readonly name: string
  readonly manifest: Manifest
}

export const root = Path.resolve(import.meta.dirname, "..")

export const readJson = (file: string) => JSON.parse(readFileSync(file, "utf8"))

export const readManifest = (folder: string): Manifest => readJson(Path.join(folder, "package.json"))

interface PnpmOptions {
  readonly cwd?: string
  readonly stdout?: "ignore" | "inherit" | "pipe"
}

/** The command of pnpm as it runs this script. `npx` sets the same variable, for npm. */
export const pnpmCommand = (args: ReadonlyArray<string>): [command: string, args: ReadonlyArray<string>] => {
  const script = process.env["npm_execpath"]
  return script !== undefined && /pnpm/.test(Path.basename(script))
    ? [process.execPath, [script, ...args]]
    : ["pnpm", args]
}

/** Runs pnpm. Gives what it writes to a pipe. */
export const pnpm = (args: ReadonlyArray<string>, { cwd = root, stdout = "inherit" }: PnpmOptions = {}): string =>
  execFileSync(...pnpmCommand(args), { cwd, encoding: "utf8", stdio: ["ignore", stdout, "inherit"] })

/** Every package that is published, by name. A new folder in `packages` or in `packages/extensions` is one of them. */
export const packages: ReadonlyArray<Package> = globSync("packages/{*,extensions/*}/package.json", { cwd: root })
  .map((file): Package => {
    const directory = Path.dirname(file).replaceAll(Path.sep, "/")
    const folder = Path.join(root, directory)
    const manifest = readManifest(folder)
    return { folder, directory, name: manifest.name, manifest }
  })
  .filter(({ manifest }) => manifest.private !== true)
  .sort((a, b) => (a.name < b.name ? -1 : 1))

/** The options of pnpm for a command in each package. */
export const eachPackage: ReadonlyArray<string> = packages.flatMap(({ name }) => ["--filter", name])

/** The version of a dependency that the workspace itself is tried with. */
export const pinned: Readonly<Record<string, string>> = Object.assign(
  {},
  ...packages.map(({ manifest }) => manifest.devDependencies),
  readManifest(root).devDependencies
)

export interface Packed extends Package {
  readonly tarball: string
}

/** Packs what the last build of a clone left, as it would be published, into a folder. */
export const pack = (destination: string, cwd = root): ReadonlyArray<Packed> => {
  mkdirSync(destination, { recursive: true })
  pnpm([...eachPackage, "pack", "--pack-destination", destination], { cwd, stdout: "ignore" })
  return packedIn(destination)
}

/** What {@link pack} has put into a folder. */
export const packedIn = (folder: string): ReadonlyArray<Packed> =>
  packages.map((one) => ({
    ...one,
    tarball: Path.join(folder, `${one.name.slice(1).replace("/", "-")}-${one.manifest.version}.tgz`)
  }))

/**
 * Where the published repository is: `repository` in the root `package.json`, and nowhere else. Whoever publishes sets
 * it, as `https://github.com/OWNER/NAME`, and runs `pnpm release manifests`.
 */
export const repository: string = String(readManifest(root).repository)

/** `.invalid` is a name that no host may have (RFC 2606): it stands there until somebody publishes. */
export const isRepositorySet = /^https:\/\/[^/]+\/[^/]+\/[^/]+$/.test(repository) && !repository.includes(".invalid/")

/** A module with an export path. */
export interface Module {
  /** Its path in the package, such as `Amount`, or `siblings/Wires` if it is not stable. */
  readonly name: string
  /** `false` for a module that only sibling packages need. Its comment says why, after `@siblings`. */
  readonly isStable: boolean
  /** Its file in `src`, without `.ts`. */
  readonly source: string
}

/**
 * The modules of a package that have an export path: `index.ts`, and the files that begin with a capital letter. In a room,
 * those that `index.ts` leaves out are for sibling packages, and so says their path.
 */
export const modulesOf = ({ folder }: Package): ReadonlyArray<Module> => {
  const src = Path.join(folder, "src")
  const index = readFileSync(Path.join(src, "index.ts"), "utf8")
  return globSync(["index.ts", "[A-Z]*.ts", "*/[A-Z]*.ts"], { cwd: src, exclude: ["internal"] })
    .map((file): Module => {
      const source = file.replaceAll(Path.sep, "/").slice(0, -".ts".length)
      const base = Path.basename(source)
      const isStable = base === source || index.includes(`"./${source}.ts"`)
      return { name: isStable ? base : `siblings/${base}`, isStable, source }
    })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** What a user writes to import a module. There is no `/index`. */
export const specifierOf = (name: string, module: string): string => (module === "index" ? name : `${name}/${module}`)

/** Where a package keeps its version for its own code, if it has use for it. */
export const versionFileOf = ({ folder }: Package): string | undefined => {
  const file = Path.join(folder, "src/internal/version.ts")
  return existsSync(file) ? file : undefined
}
