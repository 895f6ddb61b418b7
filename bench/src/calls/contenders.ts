/** All contenders, by name. Each is loaded in a process of its own. */
import type { Contender } from "./Contender.ts"

export const contenders: Readonly<Record<string, () => Promise<Contender>>> = {
  "effect-custody": async () => (await import("./contenders/custody.ts")).custody,
  "effect-custody (echoes)": async () => (await import("./contenders/custody.ts")).custodyEchoes,
  "effect-custody (reuse: all)": async () => (await import("./contenders/custody.ts")).custodyReusing,
  "effect-custody (fetch)": async () => (await import("./contenders/custody.ts")).custodyFetch,
  "effect-custody (emulator, in process)": async () => (await import("./contenders/custody.ts")).custodyInProcess,
  "undici dispatch + Schema": async () => (await import("./contenders/lean.ts")).lean,
  "undici.request": async () => (await import("./contenders/undici.ts")).undici,
  fetch: async () => (await import("./contenders/fetch.ts")).fetch,
  "Effect HttpApiClient (undici)": async () => (await import("./contenders/effectHttpApi.ts")).effectHttpApi,
  "openapi-fetch": async () => (await import("./contenders/openapiFetch.ts")).openapiFetch,
  ky: async () => (await import("./contenders/ky.ts")).ky,
  got: async () => (await import("./contenders/got.ts")).got,
  axios: async () => (await import("./contenders/axios.ts")).axios
}

/** The baseline that the others are measured against. */
export const baseline = "undici.request"
export const ours = "effect-custody"
/** Ours under a contract with echoes. */
export const echoing = "effect-custody (echoes)"
/** The contender that reaches no service. */
export const inProcess = "effect-custody (emulator, in process)"
