import Got, { HTTPError } from "got"
import * as Http from "node:http"
import { type Contender, ofPromises, opened } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"

export const got: Contender = async (origin) => {
  const client = Got.extend({
    headers: { "x-access-token": accessToken },
    agent: { http: new Http.Agent({ keepAlive: true, maxSockets: 64 }) },
    responseType: "json",
    retry: { limit: 0 }
  })
  return ofPromises(async (name) => {
    const { body, method, path } = jobs[name]
    try {
      const url = `${origin}${basePath}${path}`
      const response = await client(url, { method, ...(body === undefined ? {} : { json: body }) })
      return opened[name](response.body)
    } catch (error) {
      if (name !== "refusal" || !(error instanceof HTTPError)) throw error
      return opened[name](error.response.body)
    }
  })
}
