/**
 * `pnpm build`: the packages as they are published. TypeScript writes the declarations into `dist/`, and rolldown the
 * modules into `lib/`: one file for each module with an export path, and one for what three or more of them share, because
 * Node takes about a millisecond to load a file.
 */
import { execFileSync } from "node:child_process"
import { rmSync } from "node:fs"
import * as Path from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { pureMarks } from "./pureMarks.ts"
import { type Module, modulesOf, type Package, packages, root } from "./workspace.ts"

/**
 * Makes `index.js` import the other modules. In one file with them, `export * as` would make an object of each module,
 * and a bundler cannot drop the parts of an object that a program does not use.
 */
const index = (modules: ReadonlyArray<Module>): Plugin => ({
  name: "index",
  resolveId: (specifier, importer) => {
    if (importer === undefined || Path.basename(importer) !== "index.ts") return undefined
    const module = modules.find(({ source }) => specifier === `./${source}.ts`)
    return module && { id: `./${module.name}.js`, external: true }
  }
})

/** Lists the names in braces, each with its name on the other side of `as`. */
const parseNames = (names: string): ReadonlyArray<readonly [from: string, to: string]> =>
  names.split(", ").map((name) => {
    const [from = name, to = from] = name.split(" as ")
    return [from, to]
  })

/**
 * Makes `index.js` import what a module only exports from a shared file from that file, so that Node loads one file
 * less. Leaves `import * as`, which needs the module.
 */
const shortcut: Plugin = {
  name: "shortcut",
  generateBundle: (_, files) => {
    const index = files["index.js"]
    if (index?.type !== "chunk") return
    index.code = index.code.replaceAll(
      /^import \{ (.+) \} from "\.\/(.+)";$/gm,
      (line, names: string, file: string) => {
        const module = files[file]
        const code = module?.type === "chunk" ? module.code : ""
        const [, exports, shared] = /^export \{ (.+) \} from "(.+)";\s*$/.exec(code) ?? []
        if (exports === undefined) return line
        const inShared = new Map(parseNames(exports).map(([from, to]) => [to, from]))
        const imports = parseNames(names).map(([from, to]) => `${inShared.get(from)} as ${to}`)
        return `import { ${imports.join(", ")} } from "${shared}";`
      }
    )
  }
}

const isOfPackage = (specifier: string): boolean => specifier.startsWith(".") || Path.isAbsolute(specifier)

const bundle = async (one: Package) => {
  const modules = modulesOf(one)
  const input = Object.fromEntries(
    modules.map(({ name, source }) => [name, Path.join(one.folder, "src", `${source}.ts`)])
  )
  await using build = await rolldown({
    input,
    cwd: one.folder,
    platform: "neutral",
    plugins: [index(modules), shortcut, pureMarks],
    experimental: { nativeMagicString: true },
    external: (specifier) => !isOfPackage(specifier),
    transform: { target: "es2024" }
  })
  await build.write({
    dir: Path.join(one.folder, "lib"),
    entryFileNames: "[name].js",
    chunkFileNames: "internal/[name].js",
    codeSplitting: {
      // With less than three, the file is larger, and bundlers drop less of it.
      groups: [{ name: "shared", minShareCount: 3 }]
    },
    comments: { annotation: true, jsdoc: false, legal: true },
    sourcemap: true,
    // The sources are in the package.
    sourcemapExcludeSources: true
  })
}

for (const { folder } of packages)
  for (const output of ["dist", "lib"]) rmSync(Path.join(folder, output), { recursive: true, force: true })

const compiler = Path.join(root, "node_modules/typescript/bin/tsc")
execFileSync(process.execPath, [compiler, "-b", ...packages.map(({ folder }) => folder)], { stdio: "inherit" })
await Promise.all(packages.map(bundle))
