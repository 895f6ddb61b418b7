/** The assumed wires agree with one another: each that differs has its reason on the page of the endpoints. */
import { Contract } from "@effect-custody/core"
import { CustodyApi } from "@effect-custody/sdk"
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { page } from "./endpointTable.ts"

const keysOf = (schema: { readonly ast: unknown } | undefined): ReadonlyArray<string> => {
  const { propertySignatures = [] } = (schema?.ast ?? {}) as {
    readonly propertySignatures?: ReadonlyArray<{ readonly name: PropertyKey }>
  }
  return propertySignatures.map(({ name }) => String(name))
}

const operations = Object.values(CustodyApi.groups).flatMap((group) =>
  Object.values<any>(group.endpoints).map((contract) => {
    const { params, payload, query } = Contract.parts(contract)
    return {
      name: `${group.identifier}.${contract.identifier}`,
      called: String(contract.identifier),
      category: String(group.identifier),
      method: String(contract.method),
      segments: String(contract.path).split("/").slice(1),
      isRead: contract.safety === "read",
      isMultipart: payload?.isMultipart === true,
      isSpecified: contract.provenance === "specified" || contract.safety === "session",
      keys: [params, query, payload?.schema].flatMap(keysOf)
    }
  })
)
type Operation = (typeof operations)[number]

/** What an operation would be if it followed the convention, by what differs. */
const differs: Readonly<Record<string, (operation: Operation) => boolean>> = {
  "`create` in the path": ({ called, segments }) =>
    called.startsWith("create") && segments.at(-1)?.startsWith("create") === true,
  "the path of the list": ({ called, segments }) => called === "list" && segments.length > 1,
  "the name of a client": ({ category, keys }) =>
    category === "clients" && ["id", "ids", "externalId"].some((key) => keys.includes(key)),
  "the case of a key": ({ keys }) => keys.some((key) => key.includes("_") || key.includes("-")),
  "an asset without a network": ({ keys }) =>
    keys.some((key) => key.startsWith("assetId")) && !keys.includes("networkId"),
  "the method": ({ isRead, method }) => method !== (isRead ? "GET" : "POST"),
  "the kind of the body": ({ isMultipart }) => isMultipart
}

it("each assumed wire that differs from the convention has its reason", () => {
  const [, section = ""] = readFileSync(page, "utf8").split("## Where the assumed wires differ")
  const rows = section
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .slice(2)
    .map((line) => line.split("|").map((cell) => cell.trim()))
  const said = Object.fromEntries(
    rows.map(([, what = "", where = ""]) => [
      what,
      where.startsWith("every list")
        ? operations.filter(({ keys }) => keys.includes("page")).map(({ name }) => name)
        : where.split(",").map((name) => name.replaceAll("`", "").trim())
    ])
  )
  const found = Object.fromEntries(
    Object.entries(differs).map(([what, does]) => [
      what,
      operations.filter((operation) => !operation.isSpecified && does(operation)).map(({ name }) => name)
    ])
  )
  assert.deepStrictEqual(said, found)
  for (const [, what, , why = ""] of rows) assert.isAbove(why.length, 20, what)
})
