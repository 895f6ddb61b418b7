import Ky, { HTTPError } from "ky"
import { type Contender, ofPromises, opened } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"

export const ky: Contender = async (origin) => {
  const client = Ky.create({ headers: { "x-access-token": accessToken }, retry: 0 })
  return ofPromises(async (name) => {
    const { body, method, path } = jobs[name]
    try {
      const url = `${origin}${basePath}${path}`
      return opened[name](await client(url, { method, ...(body === undefined ? {} : { json: body }) }).json())
    } catch (error) {
      if (name !== "refusal" || !(error instanceof HTTPError)) throw error
      return opened[name](error.data)
    }
  })
}
