/** Reads hovers from the language server of the installed TypeScript. */
import { spawn } from "node:child_process"
import * as Path from "node:path"
import { pathToFileURL } from "node:url"

const root = Path.resolve(import.meta.dirname, "../..")

interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: { readonly items?: ReadonlyArray<unknown> }
  readonly result?: unknown
  readonly error?: unknown
}

const separator = "\r\n\r\n"

/**
 * Returns the hovers of names at their first occurrence in a module. The module need not exist on disk. `path` is its place
 * from the root.
 */
export const hovers = (
  path: string,
  source: string,
  names: ReadonlyArray<string>
): Promise<Readonly<Record<string, string>>> =>
  new Promise((resolve, reject) => {
    const server = spawn(Path.join(root, "node_modules/.bin/tsc"), ["--lsp", "--stdio"], {
      cwd: root,
      stdio: ["pipe", "pipe", "ignore"]
    })
    server.on("error", reject)
    server.on("exit", () => reject(new Error("the language server has ended")))

    const write = (message: object) => {
      const text = JSON.stringify({ jsonrpc: "2.0", ...message })
      server.stdin.write(`Content-Length: ${Buffer.byteLength(text)}${separator}${text}`)
    }
    const waiting = new Map<number, (message: Message) => void>()
    const request = (method: string, params: object) =>
      new Promise<unknown>((resolveRequest, rejectRequest) => {
        const id = waiting.size + 1
        waiting.set(id, ({ error, result }) =>
          error === undefined ? resolveRequest(result) : rejectRequest(new Error(JSON.stringify(error)))
        )
        write({ id, method, params })
      })
    const receive = (message: Message) => {
      if (message.id === undefined) return
      if (message.method === undefined) return waiting.get(message.id)?.(message)
      // The server asks for the editor's settings. There are none.
      write({ id: message.id, result: message.params?.items?.map(() => null) ?? null })
    }
    let received = Buffer.alloc(0)
    server.stdout.on("data", (chunk: Buffer) => {
      received = Buffer.concat([received, chunk])
      for (;;) {
        const head = received.indexOf(separator)
        if (head < 0) return
        const length = Number(/Content-Length: (\d+)/i.exec(received.toString("utf8", 0, head))?.[1])
        const end = head + separator.length + length
        if (received.length < end) return
        const message: Message = JSON.parse(received.toString("utf8", head + separator.length, end))
        received = received.subarray(end)
        receive(message)
      }
    })

    const uri = pathToFileURL(Path.join(root, path)).href
    const hover = async (name: string) => {
      const at = source.indexOf(name)
      const before = source.slice(0, at).split("\n")
      const position = { line: before.length - 1, character: before.at(-1)!.length + name.lastIndexOf(".") + 1 }
      const result = await request("textDocument/hover", { textDocument: { uri }, position })
      const { value } = (result as { readonly contents: { readonly value: string } }).contents
      return [name, /^```typescript\n([^]*?)\n```/.exec(value)?.[1] ?? value] as const
    }
    const run = async () => {
      await request("initialize", {
        processId: null,
        rootUri: pathToFileURL(root).href,
        capabilities: { textDocument: { hover: { contentFormat: ["markdown"] } } }
      })
      write({ method: "initialized", params: {} })
      const textDocument = { uri, languageId: "typescript", version: 1, text: source }
      write({ method: "textDocument/didOpen", params: { textDocument } })
      return Object.fromEntries(await Promise.all(names.map(hover)))
    }
    run()
      .then(resolve, reject)
      .finally(() => server.kill())
  })
