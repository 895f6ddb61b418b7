/** The judge of the session simulation: which requests belong together. */
import { assert, describe, it } from "@effect/vitest"
import { chance } from "./chance.ts"
import { Kernel } from "./kernel.ts"
import { drawUnknowns, Service } from "./service.ts"
import { isOfOneSession } from "./world.ts"

describe("two refresh tokens", () => {
  const service = new Service(drawUnknowns(chance(1, 1)), new Kernel(chance(1, 0)))
  const start = () => service.start(service.issueKey(), "p1")!.refreshToken
  const first = start()

  it("are of one session if one has replaced the other", () => {
    assert.isTrue(isOfOneSession(service, first, service.rotate(first, "p1")!.refreshToken))
  })

  it("are of two sessions if they began with two API keys: both may be refreshed at once", () => {
    assert.isFalse(isOfOneSession(service, first, start()))
  })
})
