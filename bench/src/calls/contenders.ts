/** All contenders, by name. Each is loaded in a process of its own. */
import type { Contender } from "./Contender.ts"

export const contenders: Readonly<Record<string, () => Promise<Contender>>> = {
  "effect-custody": async () => (await import("./contenders/custody.ts")).custody,
  "effect-custody (adapters)": async () => (await import("./contenders/custody.ts")).custodyAdapters,
  "undici.request": async () => (await import("./contenders/undici.ts")).undici,
  fetch: async () => (await import("./contenders/fetch.ts")).fetch,
  "Effect HttpApiClient (undici)": async () => (await import("./contenders/effectHttpApi.ts")).effectHttpApi,
  "openapi-fetch": async () => (await import("./contenders/openapiFetch.ts")).openapiFetch,
  axios: async () => (await import("./contenders/axios.ts")).axios
}

/** The baseline that the others are measured against. */
export const baseline = "undici.request"
export const ours = "effect-custody"
