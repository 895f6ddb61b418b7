import { type Contender, ofPromises, opened } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"

export const fetch: Contender = async (origin) =>
  ofPromises(async (name) => {
    const { body, method, path } = jobs[name]
    const response = await globalThis.fetch(`${origin}${basePath}${path}`, {
      method,
      headers: {
        accept: "application/json",
        "x-access-token": accessToken,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer: unknown = await response.json()
    if (response.status !== jobs[name].status) throw new Error(`HTTP ${response.status}`)
    return opened[name](answer)
  })
