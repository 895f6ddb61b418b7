/** Whether an answer was stored by a cache on the way, and may be out of date. Pure. */
import type { Answered } from "../Transport.ts"

/** The headers in which caches report how they answered: that of RFC 9211, and older ones. */
const reports = ["cache-status", "cf-cache-status", "x-cache", "x-cache-status"]

/** `RefreshHit` and `fwd=stale` are no hits: the cache has asked the service. */
const isHit = (report: string): boolean => /(?:^|[^a-z=])(?:hit|stale|updating)/i.test(report)

/** `Age: 0` is no sign: a cache that has just asked the service may send it too. */
export const isCached = ({ headers = {} }: Pick<Answered, "headers">): boolean =>
  String(headers["age"] ?? "0")
    .split(",")
    .some((age) => Number(age) !== 0) || reports.some((name) => isHit(String(headers[name] ?? "")))
