/** What the tools of a contract notice of a mutation, and what the first payout does. */
import { ServiceContract } from "@effect-custody/contract"
import { Amount, Environment } from "@effect-custody/core"
import { CustodyEmulator } from "@effect-custody/emulator"
import { NodeCustody } from "@effect-custody/node"
import { Custody, CustodyApi, TokenStore, Transactions } from "@effect-custody/sdk"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Result from "effect/Result"
import * as Runtime from "effect/Runtime"
import { execFile } from "node:child_process"
import { custody } from "../../packages/cli/test/runCustody.ts"
import { frontServer } from "../support/servers/dialects/front.ts"
import type { Mutation } from "./mutations.ts"
import type { Contract, Subject } from "./subject.ts"

const root = `${import.meta.dirname}/../..`

/** Writes a contract as a file. Returns its name. */
const writeContract = Effect.fnUntraced(function* (contract: Contract) {
  const files = yield* FileSystem.FileSystem
  const file = `${yield* files.makeTempDirectoryScoped()}/contract.json`
  yield* files.writeFileString(file, JSON.stringify(contract, undefined, 2))
  return file
})

const custodyWith = Effect.fnUntraced(function* (
  contract: Contract,
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
) {
  return yield* custody([...args, "--contract", yield* writeContract(contract)], env)
}, Effect.scoped)

/** What `contract check` says: that the contract is invalid, or at what to look. */
export const check = Effect.fnUntraced(function* ({ contract, subject }: Pick<Mutation, "contract" | "subject">) {
  const checked = Effect.fnUntraced(function* (of: Contract) {
    const { fails, said } = yield* custody(["contract", "check", yield* writeContract(of)])
    return { fails, looks: said.split("\n").filter((line) => line.startsWith("look: ")) }
  }, Effect.scoped)
  const [own, right] = yield* Effect.all([checked(contract), checked(subject.right)])
  return own.fails ? "refused" : own.looks.length > right.looks.length ? "look" : undefined
})

/** The mutations whose contract does not compile as an argument of `ServiceContract.layer`. */
export const refusedByCompiler = Effect.fnUntraced(function* (mutations: ReadonlyArray<Mutation>) {
  const files = yield* FileSystem.FileSystem
  // Inside the repository, where the packages are found, and ignored by git.
  const parent = `${root}/test/dist`
  yield* files.makeDirectory(parent, { recursive: true })
  const directory = yield* files.makeTempDirectoryScoped({ directory: parent })
  for (const [index, { contract }] of mutations.entries()) {
    const text = `import { ServiceContract } from "@effect-custody/contract"
import { CustodyApi } from "@effect-custody/sdk"
export const layer = ServiceContract.layer(${JSON.stringify(contract)}, CustodyApi)
`
    yield* files.writeFileString(`${directory}/mutation${index}.ts`, text)
  }
  const config = {
    extends: `${root}/tsconfig.base.json`,
    compilerOptions: { noEmit: true, composite: false },
    include: ["*.ts"]
  }
  yield* files.writeFileString(`${directory}/tsconfig.json`, JSON.stringify(config))
  const said = yield* Effect.callback<string>((resume) => {
    const done = (_: unknown, stdout: string) => resume(Effect.succeed(stdout))
    execFile(
      process.execPath,
      [`${root}/node_modules/typescript/bin/tsc`, "-p", directory],
      { maxBuffer: 2 ** 26 },
      done
    )
  })
  return mutations.filter((_, index) => said.includes(`mutation${index}.ts(`))
}, Effect.scoped)

/** A service with payouts of two clients in two assets, five seconds apart. */
export const openService = Effect.fnUntraced(function* (subject: Subject) {
  const { baseUrl, failNext, fund, issueApiKey } = yield* CustodyEmulator
  const pay = Effect.forEach(
    [
      ["alice", "usdc", Amount.of("1.50")],
      ["bob", "usdt", Amount.of("2.50")],
      ["alice", "usdt", Amount.of("3.50")]
    ] as const,
    ([clientId, assetId, amount], index) =>
      Transactions.send({ clientId, assetId, to: `0x${index}`, amount, note: `n${index}` })
  )
  yield* Effect.gen(function* () {
    for (const clientId of ["alice", "bob"]) {
      for (const assetId of ["usdc", "usdt"]) yield* fund({ clientId, assetId, amount: "1000" })
    }
    yield* failNext({ end: "ERROR", times: 1 })
    yield* pay
    yield* Effect.sleep("5 seconds")
    yield* pay
    yield* Effect.sleep("1 second")
  }).pipe(
    Effect.provide(
      Custody.layer({ environment: Environment.emulator(baseUrl), apiKey: yield* issueApiKey() }).pipe(
        Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient()])
      )
    )
  )
  return { baseUrl: yield* frontServer(subject.service, baseUrl), issueApiKey }
})

type Opened = Effect.Success<ReturnType<typeof openService>>

/** What `contract probe` ends with. */
export const probe = Effect.fnUntraced(function* ({ baseUrl, issueApiKey }: Opened, contract: Contract) {
  const files = yield* FileSystem.FileSystem
  const { failure, said } = yield* custodyWith(contract, ["contract", "probe", "--yes"], {
    CUSTODY_BASE_URL: baseUrl,
    CUSTODY_ENVIRONMENT: "emulator",
    CUSTODY_API_KEY: Redacted.value(yield* issueApiKey()),
    CUSTODY_SESSION_FILE: `${yield* files.makeTempDirectoryScoped()}/session.db`
  })
  const exitCode = failure === undefined ? 0 : Runtime.getErrorExitCode(failure)
  return { notice: exitCode === 0 ? undefined : exitCode === 2 ? "look" : "fails", said }
}, Effect.scoped)

const record = {
  id: "77",
  type: "OUTGOING",
  status: "COMPLETED",
  clientId: "alice",
  walletId: "w1",
  assetId: "usdc",
  amount: "1.50",
  to: "0xabc",
  note: "payout-1",
  createdAt: "2026-11-27T10:00:00.000Z"
}

const time = "2026-11-27T09:00:00Z"

/** The calls that a person shows, each with an example of an answer from the documentation. */
const shows = [
  ["send", ["transactions.send", "clientId=alice", "assetId=usdc", "to=0xabc", "amount=1.50", "note=payout-1"], record],
  ["get", ["transactions.get", "transactionId=77"], record],
  [
    "list",
    ["transactions.list", "clientId=alice", `from=${time}`, `to=${time}`, "status=COMPLETED", "page=2", "limit=50"],
    [record]
  ]
] as const

/** The answer of the service, as its documentation shows it, to the request of the right contract. */
const exampleOf = ({ right, service }: Subject, name: (typeof shows)[number][0], data: unknown) => {
  const { defaults, operations } = right
  const { route = "/transactions" } = operations[`transactions.${name}`] ?? {}
  const asked = {
    method: name === "send" ? "POST" : "GET",
    path: `${defaults.prefix ?? ""}${route.replace(":transactionId", "77")}`,
    query: new URLSearchParams({ count: "50" }),
    headers: {},
    body: Buffer.alloc(0)
  }
  return service.toTheirs(asked, { status: 200, body: { data, message: "ok", status: 200 } }).body
}

/** The calls for which `contract show` prints something else than under the right contract. */
export const show = Effect.fnUntraced(function* ({ contract, subject }: Pick<Mutation, "contract" | "subject">) {
  const files = yield* FileSystem.FileSystem
  const differing: Array<string> = []
  for (const [name, args, data] of shows) {
    const file = `${yield* files.makeTempDirectoryScoped()}/answer.json`
    yield* files.writeFileString(file, JSON.stringify(exampleOf(subject, name, data)))
    const shown = (of: Contract) =>
      Effect.map(custodyWith(of, ["contract", "show", ...args, "--answer", file]), ({ said }) => said)
    const [own, right] = yield* Effect.all([shown(contract), shown(subject.right)])
    if (own !== right) differing.push(name)
  }
  return differing.length === 0 ? undefined : differing.join(", ")
}, Effect.scoped)

/** `true` if the contract can be in force. */
export const isValid = (contract: Contract): boolean =>
  Result.isSuccess(ServiceContract.fromJson(JSON.stringify(contract), CustodyApi))
