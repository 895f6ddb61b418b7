/** Which statuses leave it open whether the service has acted. Pure. */

/** A proxy sends these when it gives up. The service may still be working on the request. */
const sentByImpatientProxies: ReadonlySet<number> = new Set([408, 499])

/** Whether the status of an error says nothing about what the service has done: a 3xx, a 5xx, a 408 or a 499. */
export const isDoubtful = (status: number): boolean =>
  status < 400 || status >= 500 || sentByImpatientProxies.has(status)
