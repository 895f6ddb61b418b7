/**
 * The service, written from its specification alone: it imports neither the SDK nor the emulator, so that neither of them
 * can be wrong together with it. Of the 47 endpoints the specification shows three; the others answer what a test says.
 */
import * as Http from "node:http"
import type { AddressInfo } from "node:net"

/** A request as it arrived. */
export interface Received {
  readonly method: string
  /** Path and query, below the base address. */
  readonly path: string
  readonly host: string
  /** By lower-case name. */
  readonly headers: Http.IncomingHttpHeaders
  /** The text of the body. */
  readonly text: string
  /** The body's JSON; `undefined` if it is no JSON. */
  readonly body: any
}

/** An answer: its HTTP status and its JSON, or a text that is sent as it is. */
export interface Answer {
  readonly status: number
  readonly body: unknown
}

interface Pair {
  readonly access: string
  readonly refresh: string
  /** Milliseconds since the Unix epoch. */
  readonly expiresAt: number
  isExpired: boolean
}

/** "format E followed by five digits": the two sets that the specification lists for the same conditions. */
const sets = {
  authentication: { access: "E01401", refresh: "E01402", expired: "E01403" },
  common: { access: "E40001", refresh: "E40002", expired: "E40003" }
} as const

const maxKey = 255

/** "Short-lived": no lifetime is shown. */
const lifetime = 15 * 60 * 1000

/** "Every response from a successful call uses the envelope": message, data, status. */
export const success = (data: unknown, status = 200, message = "Done"): Answer => ({
  status,
  body: { message, data, status }
})

/** "Error body": status, message, errors with the same message, code. */
export const failure = (status: number, code: string, message: string, fields: object = {}): Answer => ({
  status,
  body: { status, message, errors: { message, ...fields }, code }
})

/** The validation example of the specification: the messages of an `apiKey` that cannot be one. */
const faultsOf = (value: unknown): ReadonlyArray<string> => [
  ...(typeof value === "string" ? [] : ["must be a string"]),
  ...(typeof value === "string" && value.length <= maxKey ? [] : [`must not exceed ${maxKey} characters`]),
  ...(value === undefined || value === "" ? ["should not be empty"] : [])
]

export class SpecifiedService {
  /** The requests, in order of arrival. */
  readonly received: Array<Received> = []
  /** The next answers instead of the service's own, such as a 498. */
  readonly nextAnswers: Array<Answer> = []
  /** What an endpoint that the specification does not show answers. */
  others: (request: Received) => Answer = () => failure(404, "E99404", "Not found")
  /** "Which set a given response carries: not shown." */
  codes: keyof typeof sets = "authentication"
  baseUrl = ""

  readonly #keys = new Map<string, { isUsed: boolean }>()
  readonly #pairs: Array<Pair> = []
  #vault = 42
  readonly #server = Http.createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const text = Buffer.concat(chunks).toString("utf8")
      const { headers, method = "", url = "" } = request
      const root = "/api/integration"
      const whole: Received = {
        method,
        path: url.startsWith(root) ? url.slice(root.length) : url,
        host: headers.host ?? "",
        headers,
        text,
        body: parse(text)
      }
      this.received.push(whole)
      const { body, status } = url.startsWith(`${root}/`)
        ? (this.nextAnswers.shift() ?? this.#answer(whole))
        : failure(404, "E99404", "Not found")
      const sent = typeof body === "string" ? body : JSON.stringify(body)
      response.writeHead(status, { "content-type": typeof body === "string" ? "text/html" : "application/json" })
      response.end(sent)
    })
  })

  static async start(): Promise<SpecifiedService> {
    const service = new SpecifiedService()
    await new Promise<void>((listening) => service.#server.listen(0, "127.0.0.1", listening))
    service.baseUrl = `http://127.0.0.1:${(service.#server.address() as AddressInfo).port}/api/integration`
    return service
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((closed) => this.#server.close(closed))
  }

  /** "created in the vault's API configuration menu": a person does this. */
  issueKey(key = `key-${this.#keys.size}`): string {
    this.#keys.set(key, { isUsed: false })
    return key
  }

  /** Lets the newest access token expire. */
  expire(): void {
    const newest = this.#pairs.at(-1)
    if (newest !== undefined) newest.isExpired = true
  }

  /** The newest pair, as the service knows it. */
  get newest(): Pair | undefined {
    return this.#pairs.at(-1)
  }

  /** The requests of one path, such as `/auth/refresh-token`. */
  to(path: string): ReadonlyArray<Received> {
    return this.received.filter((request) => request.path.split("?")[0] === path)
  }

  #answer(request: Received): Answer {
    if (request.method === "POST" && request.path === "/auth/generate-tokens") return this.#generate(request.body)
    if (request.method === "POST" && request.path === "/auth/refresh-token") return this.#refresh(request.body)
    const refusal = this.#refuseToken(request.headers["x-access-token"])
    if (refusal !== undefined) return refusal
    // "Its response fields: not shown."
    if (request.method === "GET" && request.path === "/vaults/details") return success({})
    return this.others(request)
  }

  #generate(body: any): Answer {
    const faults = faultsOf(body?.apiKey)
    if (faults.length > 0) return failure(422, "E00402", "Validation failed", { apiKey: faults })
    const key = this.#keys.get(body.apiKey)
    if (key === undefined || key.isUsed) return failure(400, "E00401", "Invalid API key")
    key.isUsed = true
    this.#pairs.length = 0
    return success({ ...this.#nextPair(), vaultId: this.#vault }, 201, "Vault API keys generated successfully")
  }

  #refresh(body: any): Answer {
    const token = body?.refreshToken
    if (typeof token !== "string" || token === "") {
      return failure(422, "E00402", "Validation failed", { refreshToken: ["must be a string", "should not be empty"] })
    }
    if (token !== this.newest?.refresh) {
      // "concurrent refreshes can reuse an old refresh token and revoke the session"
      this.#pairs.length = 0
      return failure(401, sets[this.codes].refresh, "Invalid refresh token")
    }
    return success(this.#nextPair(), 201, "Tokens refreshed successfully")
  }

  #issued = 0

  #nextPair(): object {
    const nth = this.#issued++
    const pair: Pair = {
      access: `access-${nth}`,
      refresh: `refresh-${nth}`,
      expiresAt: Date.now() + lifetime,
      isExpired: false
    }
    this.#pairs.push(pair)
    return { accessToken: pair.access, refreshToken: pair.refresh, expiresAt: pair.expiresAt }
  }

  /** "The raw access token string, with no Bearer prefix." */
  #refuseToken(header: string | ReadonlyArray<string> | undefined): Answer | undefined {
    const pair = this.#pairs.find(({ access }) => access === header)
    if (pair === undefined) return failure(401, sets[this.codes].access, "Invalid access token")
    const isOld = pair.isExpired || pair !== this.newest
    return isOld ? failure(498, sets[this.codes].expired, "Token has expired") : undefined
  }
}

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
