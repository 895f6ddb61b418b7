import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { modulesOf, packages } from "../../tools/workspace.ts"

const declared = /(\/\*\*(?:(?!\*\/)[^])*\*\/\n)?export (?:declare )?(?:const|function|class|interface|type) (\w+)/g

/** The names of the exports of a source that lack one of the two tags. A value and a type of one name share a docstring. */
const untagged = (source: string): ReadonlyArray<string> => {
  const exports = [...source.matchAll(declared)].map(([, doc = "", name]) => ({ name: name!, doc }))
  const tagged = exports.filter(({ doc }) => doc.includes("@since") && doc.includes("@category"))
  return exports.map(({ name }) => name).filter((name) => !tagged.some((one) => one.name === name))
}

it("every public export says since when it is there, and its category", () => {
  const found = packages.flatMap((one) =>
    modulesOf(one)
      .filter(({ isStable }) => isStable)
      .flatMap(({ name, source }) =>
        untagged(readFileSync(Path.join(one.folder, "src", `${source}.ts`), "utf8")).map(
          (exported) => `${one.name}/${name}: ${exported}`
        )
      )
  )
  assert.deepStrictEqual(found, [])
})

it("a module that only sibling packages need says which of them need it and why, and no other does", () => {
  const wrong = packages.flatMap((one) =>
    modulesOf(one).flatMap(({ isStable, name, source }) => {
      const text = readFileSync(Path.join(one.folder, "src", `${source}.ts`), "utf8")
      return /^ \* @siblings \S+.* \S+\.$/m.test(text) === isStable ? [`${one.name}/${name}`] : []
    })
  )
  assert.deepStrictEqual(wrong, [])
})
