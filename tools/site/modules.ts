/** The public modules of the packages: those that have an export path and are stable. */
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { modulesOf, packages, root, specifierOf } from "../workspace.ts"

export interface PublicModule {
  readonly packageName: string
  readonly name: string
  /** The import path, such as `@effect-custody/core/Amount`. */
  readonly specifier: string
  /** The source file, relative to the root of the repository. */
  readonly file: string
  /** The first sentence of the documentation, in Markdown. */
  readonly summary: string
}

/** The first sentence of the first comment of a text. */
const firstSentence = (text: string): string => {
  const [, comment = ""] = /\/\*\*([^]*?)\*\//.exec(text) ?? []
  const [paragraph = ""] = comment
    .replaceAll(/^ *\* ?/gm, "")
    .trim()
    .split(/\n\n|^@/m)
  const [sentence = ""] = paragraph.replaceAll(/\s+/g, " ").split(/(?<=\.)\s/)
  return sentence.replaceAll(/\{@link ([\w.]+)\}/g, "`$1`").trim()
}

/** The summary of a module. The first comment of a record names its section of the specification: then its type has it. */
const summarize = (name: string, text: string): string => {
  const sentence = firstSentence(text)
  if (!sentence.startsWith("Specification:")) return sentence
  const declaration = text.search(new RegExp(`^export (?:interface|class|const|type) ${name}\\b`, "m"))
  return firstSentence(text.slice(Math.max(text.lastIndexOf("/**", declaration), 0)))
}

export const modules: ReadonlyArray<PublicModule> = packages.flatMap((owner) =>
  modulesOf(owner)
    .filter(({ isStable, name }) => name !== "index" && isStable)
    .map(({ name, source }) => {
      const file = `${owner.directory}/src/${source}.ts`
      const text = readFileSync(Path.join(root, file), "utf8")
      return {
        packageName: owner.name,
        name,
        specifier: specifierOf(owner.name, name),
        file,
        summary: summarize(name, text)
      }
    })
)

interface Group {
  readonly title: string
  /** How the modules are imported. */
  readonly from: string
  readonly modules: ReadonlyArray<PublicModule>
}

const shared = {
  sdk: "The client",
  node: "Node",
  core: "Amounts, errors and policies",
  authentication: "The session",
  postgres: "PostgreSQL",
  redis: "Redis",
  ledger: "Payouts",
  contract: "Contracts of a service",
  testing: "Tests",
  emulator: "The emulator",
  "local-page": "Pages of this machine",
  cli: "The command `custody`"
}

const packageOf = ({ packageName }: PublicModule): string => Path.posix.basename(packageName)

/** The modules in the order in which a program needs them. Each package that has no title of its own is a category. */
export const groups: ReadonlyArray<Group> = [
  {
    title: "Endpoints",
    from: "`@effect-custody/sdk`, or `@effect-custody/transactions/Transactions` and so on",
    modules: modules.filter((module) => !(packageOf(module) in shared))
  },
  ...Object.entries(shared).map(([name, title]) => ({
    title,
    from: `\`@effect-custody/${name}/…\``,
    modules: modules.filter((module) => packageOf(module) === name)
  }))
]

/** The page of a module, relative to the index, without `.md`. */
export const pageOf = ({ specifier }: PublicModule): string => specifier.slice(specifier.indexOf("/") + 1)
