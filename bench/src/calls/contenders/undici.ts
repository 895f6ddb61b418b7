import { Agent, request } from "undici"
import { type Contender, ofPromises, opened, connections } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"

export const undici: Contender = async (origin) => {
  const dispatcher = new Agent({ connections, allowH2: false })
  return ofPromises(async (name) => {
    const { body, method, path } = jobs[name]
    const response = await request(`${origin}${basePath}${path}`, {
      method,
      dispatcher,
      headers: {
        accept: "application/json",
        "x-access-token": accessToken,
        ...(body === undefined ? {} : { "content-type": "application/json" })
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) })
    })
    const answer = await response.body.json()
    if (response.statusCode !== jobs[name].status) throw new Error(`HTTP ${response.statusCode}`)
    return opened[name](answer)
  })
}
