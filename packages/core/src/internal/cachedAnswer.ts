/** Whether an answer comes from a cache on the way, so that it says what was, and not what is. Pure. */
import type { Answered } from "../Transport.ts"

/** Where caches say how they came to an answer: RFC 9211, and what was in use before it. */
const reports = ["cache-status", "cf-cache-status", "x-cache", "x-cache-status"]

/** Not a `RefreshHit`, nor `fwd=stale`: these the service has confirmed. */
const isHit = (report: string): boolean => /(?:^|[^a-z=])(?:hit|stale|updating)/i.test(report)

/** A cache that has asked the service may say an age of 0, so 0 alone is no sign. */
export const isCached = ({ headers = {} }: Pick<Answered, "headers">): boolean =>
  String(headers["age"] ?? "0")
    .split(",")
    .some((age) => Number(age) !== 0) || reports.some((name) => isHit(String(headers[name] ?? "")))
