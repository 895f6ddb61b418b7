import createClient from "openapi-fetch"
import { type Contender, ofPromises, opened } from "../Contender.ts"
import { accessToken, basePath, jobs } from "../jobs.ts"

interface Answers {
  readonly 200: { readonly content: { readonly "application/json": { readonly data: unknown } } }
  readonly 201: { readonly content: { readonly "application/json": { readonly data: unknown } } }
  readonly 404: { readonly content: { readonly "application/json": { readonly code: string } } }
}

interface Paths {
  readonly "/vaults/details": { readonly get: { readonly responses: Answers } }
  readonly "/wallets/{walletId}": {
    readonly get: { readonly parameters: { readonly path: { readonly walletId: string } }; readonly responses: Answers }
  }
  readonly "/transactions": {
    readonly get: { readonly parameters: { readonly query: { readonly limit: number } }; readonly responses: Answers }
  }
  readonly "/transactions/send": {
    readonly post: {
      readonly requestBody: { readonly content: { readonly "application/json": Readonly<Record<string, string>> } }
      readonly responses: Answers
    }
  }
}

export const openapiFetch: Contender = async (origin) => {
  const client = createClient<Paths>({
    baseUrl: `${origin}${basePath}`,
    headers: { "x-access-token": accessToken }
  })
  return ofPromises(async (name) => {
    switch (name) {
      case "read":
        return opened.read((await client.GET("/vaults/details")).data)
      case "write":
        return opened.write((await client.POST("/transactions/send", { body: jobs.write.body! })).data)
      case "refusal":
        return opened.refusal(
          (await client.GET("/wallets/{walletId}", { params: { path: { walletId: "missing" } } })).error
        )
      case "list":
        return opened.list((await client.GET("/transactions", { params: { query: { limit: 100 } } })).data)
    }
  })
}
