/**
 * The herd: so many calls at the moment when the access token has expired, at a service that takes each refresh token
 * once and revokes the session when one comes again.
 *
 * `node src/expiry/main.ts [--calls N] [--verbose]`
 */
import { OAuth2Client, OAuth2Fetch } from "@badgateway/oauth2-client"
import { TokenStore } from "@effect-custody/authentication"
import { Environment } from "@effect-custody/core"
import { NodeCustody } from "@effect-custody/node"
import { Custody, Vaults } from "@effect-custody/sdk"
import Axios, { type AxiosInstance } from "axios"
import { createAuthRefresh } from "axios-auth-refresh"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import * as Http from "node:http"
import type { AddressInfo } from "node:net"
import { parseArgs } from "node:util"

const { values } = parseArgs({
  options: { calls: { type: "string", default: "10000" }, verbose: { type: "boolean", default: false } }
})
const count = Number(values.calls)

/** The session of one contender, as its service keeps it. */
interface Service {
  generation: number
  expired: boolean
  refreshes: number
  isRevoked: boolean
}

const start = async (expiredStatus: number) => {
  const state: Service = { generation: 0, expired: false, refreshes: 0, isRevoked: false }
  const pair = () => ({ accessToken: `access-${state.generation}`, refreshToken: `refresh-${state.generation}` })
  const refreshed = (token: string): boolean => {
    state.refreshes++
    if (token !== `refresh-${state.generation}`) state.isRevoked = true
    if (state.isRevoked) return false
    state.generation++
    state.expired = false
    return true
  }
  const server = Http.createServer((request, response) => {
    const reply = (status: number, body: object) =>
      response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
    let text = ""
    request.on("data", (chunk: Buffer) => (text += chunk.toString()))
    request.on("end", () => {
      const path = request.url ?? ""
      if (path.endsWith("/auth/generate-tokens")) {
        return reply(201, {
          message: "ok",
          data: { ...pair(), expiresAt: Date.now() + 86_400_000, vaultId: 1 },
          status: 201
        })
      }
      if (path.endsWith("/auth/refresh-token") || path.endsWith("/oauth/token")) {
        const isForm = path.endsWith("/oauth/token")
        const token = isForm
          ? new URLSearchParams(text).get("refresh_token")
          : (JSON.parse(text) as { refreshToken: string }).refreshToken
        if (!refreshed(token ?? "")) {
          return reply(isForm ? 400 : 401, { error: "invalid_grant", status: 401, message: "revoked", code: "E40002" })
        }
        const { accessToken, refreshToken } = pair()
        const expiresAt = Date.now() + 86_400_000
        return reply(
          isForm ? 200 : 201,
          isForm
            ? { access_token: accessToken, refresh_token: refreshToken, expires_in: 86_400, token_type: "bearer" }
            : { message: "ok", data: { accessToken, refreshToken, expiresAt, vaultId: 1 }, status: 201 }
        )
      }
      const sent = request.headers["x-access-token"] ?? request.headers.authorization?.replace(/^bearer /i, "")
      return state.isRevoked || state.expired || sent !== `access-${state.generation}`
        ? reply(expiredStatus, { status: expiredStatus, message: "Token expired", code: "E40003" })
        : reply(200, { message: "ok", data: { id: "v-1", name: "Main" }, status: 200 })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { state, origin, stop: () => (server.closeAllConnections(), server.close()) }
}

/** Makes one call. */
type Call = () => Promise<unknown>

/** Gets ready at a service. The access token is valid then. */
type Contender = (origin: string) => Promise<Call>

const path = "/api/integration/vaults/details"

/** The number of connections of each client that can limit it. */
const connections = 64

const agent = () => new Http.Agent({ keepAlive: true, maxSockets: connections })

const withTokens = (origin: string) => {
  const tokens = { access: "access-0", refresh: "refresh-0" }
  const axios = Axios.create({ baseURL: origin, httpAgent: agent() })
  axios.interceptors.request.use((config) => {
    config.headers.set("x-access-token", tokens.access)
    return config
  })
  const refresh = async () => {
    const { data } = await Axios.post<{ data: { accessToken: string; refreshToken: string } }>(
      `${origin}/api/integration/auth/refresh-token`,
      { refreshToken: tokens.refresh }
    )
    Object.assign(tokens, { access: data.data.accessToken, refresh: data.data.refreshToken })
  }
  return { axios, refresh }
}

const callOf =
  (axios: AxiosInstance): Call =>
  () =>
    axios.get(path)

const contenders: Readonly<Record<string, { readonly expiredStatus: number; readonly make: Contender }>> = {
  "effect-custody": {
    expiredStatus: 498,
    make: async (origin) => {
      const environment = Environment.local(`${origin}/api/integration`)
      const layer = Custody.layer({ environment, apiKey: Redacted.make("key") }).pipe(
        Layer.provide([TokenStore.layerMemory, NodeCustody.layerHttpClient({ connections })])
      )
      const runtime = ManagedRuntime.make(layer)
      const call = () => runtime.runPromise(Vaults.details())
      await call()
      return call
    }
  },
  "axios + axios-auth-refresh": {
    expiredStatus: 498,
    make: async (origin) => {
      const { axios, refresh } = withTokens(origin)
      // As its README has it. Its types name another build of axios.
      createAuthRefresh(axios as unknown as Parameters<typeof createAuthRefresh>[0], refresh, { statusCodes: [498] })
      return callOf(axios)
    }
  },
  "@badgateway/oauth2-client": {
    // It knows 401 only.
    expiredStatus: 401,
    make: async (origin) => {
      // It sends with the runtime's fetch, which has no bound. It never reads the answer that it replaces, so a bounded
      // pool would stand still until that is collected.
      const client = new OAuth2Client({ server: origin, clientId: "c", tokenEndpoint: "/oauth/token" })
      const fetching = new OAuth2Fetch({
        client,
        // As its README has it for a session that is stored: what cannot be refreshed needs a person.
        getStoredToken: () => ({
          accessToken: "access-0",
          refreshToken: "refresh-0",
          expiresAt: Date.now() + 86_400_000
        }),
        getNewToken: () => null,
        scheduleRefresh: false
      })
      const call = async () => {
        const response = await fetching.fetch(`${origin}${path}`)
        if (!response.ok) throw new Error(`HTTP ${response.status}`)
        return response.json()
      }
      await call()
      return call
    }
  },
  "axios + an interceptor by hand": {
    expiredStatus: 498,
    make: async (origin) => {
      const { axios, refresh } = withTokens(origin)
      axios.interceptors.response.use(undefined, async (error: unknown) => {
        if (!Axios.isAxiosError(error) || error.response?.status !== 498 || error.config === undefined) throw error
        const config: typeof error.config & { isReplay?: boolean } = error.config
        if (config.isReplay === true) throw error
        config.isReplay = true
        await refresh()
        return axios.request(config)
      })
      return callOf(axios)
    }
  }
}

console.log(`${count} calls at the expiry of the access token, over ${connections} connections\n`)
console.log("| client | refreshes sent | calls failed | last success after | session lost |")
console.log("| --- | ---: | ---: | ---: | --- |")
for (const [name, { expiredStatus, make }] of Object.entries(contenders)) {
  const { origin, state, stop } = await start(expiredStatus)
  const call = await make(origin)
  state.expired = true
  const begin = performance.now()
  let last = 0
  const ended = await Promise.allSettled(
    Array.from({ length: count }, () =>
      call().then(() => {
        last = performance.now() - begin
      })
    )
  )
  const failures = ended.filter((one) => one.status === "rejected")
  const failed = failures.length
  const success = last === 0 ? "none" : `${(last / 1_000).toFixed(1)} s`
  console.log(`| ${name} | ${state.refreshes} | ${failed} | ${success} | ${state.isRevoked ? "yes" : "no"} |`)
  if (values.verbose && failures[0] !== undefined) console.log(failures[0].reason)
  if (name === "effect-custody" && (state.refreshes !== 1 || failed > 0)) process.exitCode = 1
  stop()
}
process.exit()
