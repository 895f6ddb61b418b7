/**
 * The Fetch standard lets a runtime send a request again by itself: Node does so after a 421, Deno when a reused
 * connection breaks off without an answer. A payment would be made twice. A body that is a stream cannot be sent again.
 */

const streamOf = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes)
      controller.close()
    }
  })

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

/** A `fetch` that sends a write only once: its bytes, and no body at all, go as a stream. */
export const fetchOnce =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) => {
    const { body, headers: given, method = "GET" } = init ?? {}
    const bytes = body ?? new Uint8Array()
    if (method === "GET" || method === "HEAD" || !isBytes(bytes)) return fetch(input, init)
    const headers = new Headers(given)
    headers.set("content-length", String(bytes.byteLength))
    const once = { ...init, headers, body: streamOf(bytes), duplex: "half" }
    return fetch(input, once)
  }
