import { assert, describe, it } from "@effect/vitest"
import * as Path from "node:path"
import { type Plugin, rolldown } from "rolldown"
import { CustodyApi } from "@effect-custody/sdk"
import { pureMarks } from "../../tools/pureMarks.ts"
import { root } from "../../tools/workspace.ts"

/** A module that exists only here. */
const virtual = (name: string, code: string): Plugin => ({
  name: `virtual ${name}`,
  resolveId: (specifier) => (specifier === name ? `\0${name}` : undefined),
  load: (id) => (id === `\0${name}` ? code : undefined)
})

const isOurs = (specifier: string): boolean => /^[./\0]|^(?:built|program)$/.test(specifier)

const bundle = async (input: string, plugins: ReadonlyArray<Plugin>): Promise<string> => {
  const external = (specifier: string) => !isOurs(specifier) && !Path.isAbsolute(specifier)
  await using build = await rolldown({
    input,
    external,
    plugins: [...plugins],
    platform: "neutral",
    experimental: { nativeMagicString: true }
  })
  const { output } = await build.generate({ comments: { annotation: true } })
  return output[0].code
}

/** Two categories in one file, as the build may put modules that several others share. */
const categories = ["tokens/src/Tokens.ts", "nfts/src/Nfts.ts"].map((file) => Path.join(root, "packages", file))
const both = categories.map((file, at) => `export { get as get${at} } from ${JSON.stringify(file)}`).join("\n")

/** The names of the endpoints in the bundle of a program that uses one endpoint of such a file. */
const kept = async (plugins: ReadonlyArray<Plugin>): Promise<ReadonlyArray<string>> => {
  const built = await bundle("built", [virtual("built", both), ...plugins])
  const program = await bundle("program", [
    virtual("built", built),
    virtual("program", `import { get0 } from "built"\nconsole.log(get0)`)
  ])
  return CustodyApi.operations.flatMap(({ operation }) => (program.includes(`"${operation}"`) ? [operation] : []))
}

describe("the pure marks of the build", () => {
  it("a program that uses one endpoint bundles no other endpoint, of its own category or of another", async () => {
    assert.deepStrictEqual(await kept([pureMarks]), ["tokens.get"])
  })

  it("without the marks it bundles every endpoint of both categories", async () => {
    const all = CustodyApi.operations.flatMap(({ operation }) =>
      /^(?:tokens|nfts)\./.test(operation) ? [operation] : []
    )
    assert.includeMembers([...(await kept([]))], all)
  })
})
