/**
 * A `fetch` that sends a write only once. The Fetch standard lets a runtime send a request again by itself: Node does so
 * after a 421, Deno when a reused connection breaks off without an answer. A payment would be made twice. A body that is
 * a stream cannot be sent again.
 */

/** Methods without an effect. */
const isSafe = (method: string | undefined): boolean => method === undefined || method === "GET" || method === "HEAD"

const streamOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes)
      controller.close()
    }
  })

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

const none = new Uint8Array()

/** Sends bytes, and no body at all, as a stream. The length is declared as `fetch` itself would do, where it may be. */
export const fetchOnce =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) => {
    const body = init?.body ?? none
    if (isSafe(init?.method) || !isBytes(body)) return fetch(input, init)
    const headers = new Headers(init?.headers)
    headers.set("content-length", String(body.byteLength))
    const once = { ...init, headers, body: streamOf(body), duplex: "half" }
    return fetch(input, once)
  }
