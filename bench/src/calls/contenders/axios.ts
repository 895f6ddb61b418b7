import Axios from "axios"
import * as Http from "node:http"
import { type Contender, ofPromises, opened } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"

export const axios: Contender = async (origin) => {
  const client = Axios.create({
    baseURL: `${origin}${basePath}`,
    headers: { "x-access-token": accessToken },
    httpAgent: new Http.Agent({ keepAlive: true, maxSockets: 64 })
  })
  return ofPromises(async (name) => {
    const { body, method, path } = jobs[name]
    try {
      const { data } = await client.request({ method, url: path, ...(body === undefined ? {} : { data: body }) })
      return opened[name](data)
    } catch (error) {
      if (name !== "refusal" || !Axios.isAxiosError(error)) throw error
      return opened[name](error.response?.data)
    }
  })
}
