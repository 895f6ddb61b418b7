import { request } from "undici"
import { answered, origin } from "./answered.ts"

const { body } = await request(`${origin}/api/integration/vaults/details`, { headers: { "x-access-token": "token" } })
answered(await body.json())
