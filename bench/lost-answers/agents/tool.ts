/** A tool that pays, as a model meets it: it calls over MCP, and hears text. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { InMemoryTransport } from "@modelcontextprotocol/sdk/inMemory.js"
import type { Transport } from "@modelcontextprotocol/sdk/shared/transport.js"
import { type Contender, type Model, modelled } from "../../src/lostAnswers/Contender.ts"
import { leadTo } from "../../src/lostAnswers/vendors.ts"

/** What serves tools. */
export interface Served {
  /** What a tool says. */
  readonly call: (tool: string, input: Readonly<Record<string, unknown>>) => Promise<string>
  readonly close?: () => Promise<void>
}

/** The benchmark's own patience ends first. */
const patient = { timeout: 300_000 }

const over = async (transport: Transport): Promise<Served> => {
  const client = new Client({ name: "lost-answers", version: "1.0.0" })
  await client.connect(transport, patient)
  return {
    call: async (name, input) => {
      const { content } = await client.callTool({ name, arguments: input }, undefined, patient)
      return (content as ReadonlyArray<{ readonly text?: string }>).map(({ text = "" }) => text).join("\n")
    },
    close: () => client.close()
  }
}

interface Program {
  readonly args?: ReadonlyArray<string>
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

/** A server of MCP that is a program. */
export const program = (path: string, { args = [], env = {}, ...options }: Program = {}): Promise<Served> =>
  over(
    new StdioClientTransport({
      command: process.execPath,
      args: [...process.execArgv, path, ...args],
      env: { ...(process.env as Record<string, string>), ...env },
      stderr: "ignore",
      ...options
    })
  )

/** A server of MCP in this process. */
export const inProcess = async (server: { connect: (transport: Transport) => Promise<void> }): Promise<Served> => {
  const [ours, its] = InMemoryTransport.createLinkedPair()
  await server.connect(its)
  return over(ours)
}

/** A call has succeeded if what the model hears names the payment. */
export const hear = (text: string, named: RegExp): string => {
  if (!named.test(text)) throw new Error(text)
  return text
}

interface Tool extends Omit<Model, "connect" | "reply"> {
  readonly serve: () => Served | Promise<Served>
  readonly tool: string
  readonly input: (key: string | undefined) => Readonly<Record<string, unknown>>
  /** The answer to a payment, by its id. */
  readonly reply: (id: string) => unknown
}

/** A tool whose vendor's service the benchmark plays. */
export const tool = ({ input, reply, serve, tool: name, ...model }: Tool): Contender =>
  modelled({
    ...model,
    reply: (payment) => reply(`payment-${payment}`),
    connect: async (origin) => {
      leadTo(origin)
      const { call, close } = await serve()
      const pay = async (key?: string) => hear(await call(name, input(key)), /payment-\d/)
      return Object.assign(pay, close === undefined ? {} : { close })
    }
  })
