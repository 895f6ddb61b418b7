import OpenAI from "openai"
import { answered, origin } from "./answered.ts"

const client = new OpenAI({ apiKey: "key", baseURL: `${origin}/v1` })
answered(await client.models.retrieve("a-model"))
