/**
 * A `fetch` that sends a write only once, so that no payment is made twice. The Fetch standard lets a runtime repeat a
 * request on its own: Node does so after a 421, and Deno when a reused connection breaks off without an answer. No
 * runtime can repeat a request whose body is a stream.
 */

const toStream = (bytes: Uint8Array<ArrayBuffer>): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    start(controller) {
      if (bytes.byteLength > 0) controller.enqueue(bytes)
      controller.close()
    }
  })

const isBytes = (body: unknown): body is Uint8Array<ArrayBuffer> => body instanceof Uint8Array

/** Wraps a `fetch` so that it sends a write only once: as a stream, even if the body is empty. */
export const fetchOnce =
  (fetch: typeof globalThis.fetch): typeof globalThis.fetch =>
  (input, init) => {
    const { body, headers: ownHeaders, method = "GET" } = init ?? {}
    const bytes = body ?? new Uint8Array()
    if (method === "GET" || method === "HEAD" || !isBytes(bytes)) return fetch(input, init)
    const headers = new Headers(ownHeaders)
    headers.set("content-length", String(bytes.byteLength))
    const once = { ...init, headers, body: toStream(bytes), duplex: "half" }
    return fetch(input, once)
  }
