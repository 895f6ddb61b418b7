/**
 * A small service with a state of its own, in plain `node:http`: clients, their USDC, sends and their history, sessions.
 * It speaks snake_case with cursors, envelopes of `result` and errors in words, and shares no code with the SDK or the
 * emulator.
 */
import * as Data from "effect/Data"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { randomUUID } from "node:crypto"
import * as Effect from "effect/Effect"

const base = "/api/integration"

type Fields = Readonly<Record<string, unknown>>

interface Sent {
  readonly id: string
  readonly client_id: string
  readonly asset_id: string
  readonly to: string
  readonly amount: string
  readonly note?: string | undefined
  readonly type: "OUTGOING"
  readonly created_at: string
  /** How often it was read: it is final when it has been read once. */
  reads: number
}

/** An answer that is no success. */
class No extends Data.TaggedError("No")<{
  readonly status: number
  readonly code: string
  readonly message: string
  readonly details: Fields
}> {}

const no = (status: number, code: string, message: string, details: Fields = {}) =>
  new No({ status, code, message, details })

const units = (amount: string): bigint => {
  const [whole = "", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(6, "0").slice(0, 6))
}

const decimal = (amount: bigint): string => {
  const digits = String(amount).padStart(7, "0")
  return `${digits.slice(0, -6)}.${digits.slice(-6)}`
}

const invalid = (field: string, ...messages: ReadonlyArray<string>): No =>
  no(422, "validation_failed", "Validation error", { [field]: messages })

/** A text of at most 255 characters. */
const text = (fields: Fields, name: string): string => {
  const value = fields[name]
  if (typeof value !== "string") throw invalid(name, "must be a string", "should not be empty")
  if (value === "") throw invalid(name, "should not be empty")
  if (value.length > 255) throw invalid(name, "must not exceed 255 characters")
  return value
}

const makeState = () => {
  const keys = new Set<string>()
  const access = new Map<string, { readonly expiresAt: number }>()
  const refresh = new Set<string>()
  const clients = new Map<string, { readonly id: string; readonly created_at: string; balance: bigint }>()
  const sent = new Map<string, Sent>()
  let losesNext = false
  let lifetime = 60_000

  const open = (): Fields => {
    const [accessToken, refreshToken] = [`access-${randomUUID()}`, `refresh-${randomUUID()}`]
    const expiresAt = Date.now() + lifetime
    access.set(accessToken, { expiresAt })
    refresh.add(refreshToken)
    return { access_token: accessToken, refresh_token: refreshToken, expires_at: expiresAt }
  }

  const client = (id: string) => {
    const found = clients.get(id)
    if (found === undefined) throw no(404, "client_not_found", `There is no client ${id}`)
    return found
  }

  const clientOf = (externalId: string) => {
    const { created_at, id } = client(externalId)
    return { external_id: externalId, id, created_at }
  }

  const transactionOf = ({ reads, ...rest }: Sent) => ({ ...rest, status: reads > 1 ? "COMPLETED" : "PENDING" })

  /** A page of rows, and where it goes on: the id of the last row that was given. */
  const paged = <A extends { readonly id: string }>(rows: ReadonlyArray<A>, query: URLSearchParams) => {
    const after = query.get("after")
    const start = after === null ? 0 : rows.findIndex(({ id }) => id === after) + 1
    const items = rows.slice(start, start + Number(query.get("page_size") ?? 10))
    const more = start + items.length < rows.length
    return {
      result: { items },
      page: { next_cursor: more ? (items.at(-1)?.id ?? null) : null, total: rows.length }
    }
  }

  const authenticate = (token: string | undefined): void => {
    const session = token === undefined ? undefined : access.get(token)
    if (session === undefined) throw no(401, "invalid_token", "Invalid access token")
    if (Date.now() >= session.expiresAt) throw no(498, "token_expired", "Token has expired")
  }

  const generate = (fields: Fields): Fields => {
    const key = text(fields, "api_key")
    if (!keys.delete(key)) throw no(400, "invalid_api_key", "Invalid API key")
    return { ...open(), vault_id: 7 }
  }

  const rotate = (fields: Fields): Fields => {
    const token = text(fields, "refresh_token")
    if (!refresh.delete(token)) throw no(401, "invalid_refresh_token", "Invalid refresh token")
    return open()
  }

  const send = (fields: Fields) => {
    const payer = client(text(fields, "client_id"))
    const [asset, to, amount] = [text(fields, "asset_id"), text(fields, "to"), text(fields, "amount")]
    if (asset !== "usdc") throw invalid("asset_id", "is no asset of this vault")
    if (units(amount) > payer.balance) throw no(400, "insufficient_funds", "Insufficient funds")
    payer.balance -= units(amount)
    const id = `t-${sent.size + 1}`
    const { note } = fields as { readonly note?: string }
    const made: Sent = {
      id,
      client_id: String(fields["client_id"]),
      asset_id: asset,
      to,
      amount,
      note,
      type: "OUTGOING",
      created_at: new Date().toISOString(),
      reads: 0
    }
    sent.set(id, made)
    return transactionOf(made)
  }

  const transaction = (id: string) => {
    const found = sent.get(id)
    if (found === undefined) throw no(404, "transaction_not_found", `There is no transaction ${id}`)
    found.reads++
    return transactionOf(found)
  }

  const history = (query: URLSearchParams) => {
    const rows = [...sent.values()].filter(
      ({ asset_id, client_id }) =>
        client_id === (query.get("client_id") ?? client_id) && asset_id === (query.get("asset_id") ?? asset_id)
    )
    return paged(rows.map(transactionOf), query)
  }

  const wallets = (query: URLSearchParams) =>
    paged(
      [...clients]
        .filter(([externalId]) => externalId === (query.get("client_id") ?? externalId))
        .map(([externalId, { balance, id }]) => ({
          id: `w-${id}`,
          address: `0x${id}`,
          client_id: externalId,
          asset_id: "usdc",
          balance: decimal(balance)
        })),
      query
    )

  /** The answer of a request: status and body. */
  const answer = (
    method: string,
    { pathname, searchParams: query }: URL,
    token: string | undefined,
    fields: () => Fields
  ): readonly [status: number, body: unknown] => {
    const path = pathname.slice(base.length)
    const ours = `${method} ${path}`
    if (ours === "POST /auth/generate-tokens") return [201, { result: generate(fields()) }]
    if (ours === "POST /auth/refresh-token") return [201, { result: rotate(fields()) }]
    authenticate(token)
    if (ours === "GET /vaults/details") return [200, { result: { id: "7", name: "The vault" } }]
    if (ours === "POST /clients/create") {
      const id = text(fields(), "id")
      if (clients.has(id)) throw invalid("id", "is taken")
      clients.set(id, { id: String(1_000 + clients.size), created_at: new Date().toISOString(), balance: 0n })
      return [201, { result: clientOf(id) }]
    }
    if (ours === "GET /wallets/client-wallets") return [200, wallets(query)]
    if (ours === "POST /transactions/send") return [201, { result: send(fields()) }]
    if (ours === "GET /transactions") return [200, history(query)]
    const [, category, id] = path.split("/").map(decodeURIComponent)
    if (method === "GET" && category === "clients") return [200, { result: clientOf(id!) }]
    if (method === "GET" && category === "transactions") return [200, { result: transaction(id!) }]
    throw no(404, "not_found", `Cannot ${ours}`)
  }

  return {
    answer,
    /** Whether the answer to a send is lost, once. */
    isLost: (method: string, pathname: string) => {
      const lost = losesNext && method === "POST" && pathname.endsWith("/transactions/send")
      if (lost) losesNext = false
      return lost
    },
    controls: {
      issueApiKey: (): string => {
        const key = `key-${randomUUID()}`
        keys.add(key)
        return key
      },
      fund: (externalId: string, amount: string): void => {
        client(externalId).balance += units(amount)
      },
      expireTokens: (): void => access.forEach((_, token) => access.set(token, { expiresAt: 0 })),
      loseNextAnswer: (): void => {
        losesNext = true
      },
      setLifetime: (millis: number): void => {
        lifetime = millis
      },
      sent: (): number => sent.size
    }
  }
}

const fieldsOf = (body: string): Fields => {
  try {
    const value: unknown = JSON.parse(body)
    if (typeof value === "object" && value !== null && !Array.isArray(value)) return value as Fields
  } catch {
    // Answered below.
  }
  throw no(400, "bad_request", "The body is malformed")
}

/** Serves it until the scope closes. */
export const ownService = Effect.acquireRelease(
  Effect.promise(async () => {
    const state = makeState()
    const serve = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      const url = new URL(request.url ?? "/", "http://localhost")
      const body = Buffer.concat(await request.toArray()).toString()
      const method = request.method ?? "GET"
      const reply = (status: number, json: unknown): void => {
        response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(json))
      }
      try {
        const token = request.headers["x-access-token"] as string | undefined
        const [status, json] = state.answer(method, url, token, () => fieldsOf(body))
        if (state.isLost(method, url.pathname)) return void response.destroy()
        reply(status, json)
      } catch (error) {
        if (!(error instanceof No)) throw error
        const { code, details, message, status } = error
        reply(status, { error: { code, message, details } })
      }
    }
    const server = createServer((request, response) => {
      serve(request, response).catch(() => response.destroy())
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    return { baseUrl: `http://127.0.0.1:${port}${base}`, server, ...state.controls }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
)
