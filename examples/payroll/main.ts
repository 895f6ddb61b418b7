/** A month's payroll on three runners, one of which is killed while it pays. */
import { Payouts } from "@effect-custody/ledger"
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Console, Deferred, Effect, FileSystem, Layer, Schema, Stream } from "effect"
import { ChildProcess } from "effect/process"
import { DurableDeferred } from "effect/workflow"
import { type AddressInfo, createServer } from "node:net"
import * as Cluster from "./cluster.ts"
import { Approval, Payroll, readOrders } from "./payroll.ts"

class NeedsPerson extends Schema.TaggedError<NeedsPerson>()("NeedsPerson", {}) {}

const freePort = Effect.callback<string>((resume) => {
  const server = createServer().listen(0, "127.0.0.1", () => {
    const { port } = server.address() as AddressInfo
    server.close(() => resume(Effect.succeed(`${port}`)))
  })
})

/** Starts a runner. The first of them that has paid somebody is killed. */
const startRunner = Effect.fn("startRunner")(function* (name: string, isPaying: Deferred.Deferred<void>) {
  const runner = yield* ChildProcess.make(process.execPath, [`${import.meta.dirname}/runner.ts`], {
    env: { HOST: "127.0.0.1", PORT: yield* freePort },
    extendEnv: true,
    stderr: "inherit"
  })
  const onLine = Effect.fnUntraced(function* (line: string) {
    yield* Console.log(`  ${name}: ${line}`)
    if (line.endsWith(": paid") && (yield* Deferred.succeed(isPaying, undefined))) {
      yield* runner.kill({ killSignal: "SIGKILL" })
      yield* Console.log(`${name} is killed while it pays.`)
    }
  })
  const lines = runner.stdout.pipe(Stream.decodeText(), Stream.splitLines, Stream.runForEach(onLine))
  yield* Effect.forkScoped(Effect.ignore(lines))
})

const program = Effect.gen(function* () {
  const fs = yield* FileSystem.FileSystem
  const csv = yield* fs.readFileString(`${import.meta.dirname}/june.csv`)
  const orders = yield* readOrders(csv)
  const isPaying = yield* Deferred.make<void>()
  yield* Effect.forEach(["runner 1", "runner 2", "runner 3"], (name) => startRunner(name, isPaying))

  const payroll = { batch: "june", by: "ann", csv }
  const executionId = yield* Payroll.execute(payroll, { discard: true })
  yield* Effect.repeat(Effect.delay(Payouts.list({ batch: "june", state: "held" }), "200 millis"), {
    until: ({ length }) => length === orders.length
  })
  yield* Console.log(`ann has submitted ${orders.length} payouts. They are held.`)

  const approve = (by: string) =>
    Effect.andThen(
      Effect.flatMap(Payouts.review("june"), ({ digest }) => Payouts.approve("june", { by, digest })),
      DurableDeferred.succeed(Approval, {
        token: DurableDeferred.tokenFromExecutionId(Approval, { workflow: Payroll, executionId }),
        value: by
      })
    )
  yield* Effect.catchTag(approve("ann"), "StepRefused", ({ message }) => Console.log(message))
  yield* approve("bob")

  const { differences, outcomes } = yield* Payroll.execute(payroll)
  const open = outcomes.filter(({ outcome }) => outcome !== "paid")
  yield* Console.log(`${orders.length - open.length} of ${orders.length} employees are paid.`)
  for (const { outcome, reference } of open) yield* Console.log(`${reference} needs a person: ${outcome}`)
  yield* Console.log(`The ledger and the service differ in ${differences} payouts.`)
  if (open.length + differences > 0) return yield* new NeedsPerson()
})

program.pipe(
  Effect.scoped,
  Effect.provide([
    Layer.provide(Layer.merge(Cluster.engine(true), Cluster.ledger), Cluster.database),
    NodeServices.layer
  ]),
  NodeRuntime.runMain
)
