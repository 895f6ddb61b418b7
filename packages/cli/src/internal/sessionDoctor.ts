/** What may be wrong with a stored session, and what to do about it. Pure. */
import type { SessionReport } from "./sessionReport.ts"

/** The result of one check. */
export interface Finding {
  readonly verdict: "good" | "doubtful" | "bad"
  readonly about: string
  readonly found: string
  /** What to do; empty if nothing has to be done. */
  readonly advice: string
}

/** The session file. */
export interface File {
  readonly path: string
  /** The permission bits. */
  readonly mode: number
  /** Whether it belongs to the user of this process; `undefined` where the system has no users. */
  readonly isOurs: boolean | undefined
}

/** What the checks use. */
export interface Facts {
  /** `undefined`: there is no such file. */
  readonly file: File | undefined
  readonly path: string
  /** Whether `CUSTODY_SESSION_KEY` is set, or what is wrong with it. */
  readonly key: "set" | "unset" | { readonly wrong: string }
  /** The session, or why it cannot be read; `unopened`: why the file itself cannot be used. */
  readonly session: SessionReport | { readonly unreadable: string } | { readonly unopened: string } | undefined
  /** The configured base address, if there is one, or what is wrong with it. */
  readonly configured: string | { readonly wrong: string } | undefined
}

const good = (about: string, found: string): Finding => ({ verdict: "good", about, found, advice: "" })
const doubtful = (about: string, found: string, advice: string): Finding => ({
  verdict: "doubtful",
  about,
  found,
  advice
})
const bad = (about: string, found: string, advice: string): Finding => ({ verdict: "bad", about, found, advice })

const ofFile = ({ isOurs, mode, path }: File): ReadonlyArray<Finding> => [
  isOurs === false
    ? bad("owner", `${path} belongs to another user`, "run as its owner, or make the user of the service its owner")
    : good("owner", "the file is this user's"),
  (mode & 0o077) === 0
    ? good("permissions", "only its owner may read the file")
    : doubtful(
        "permissions",
        `others may read or write the file (mode ${(mode & 0o777).toString(8)})`,
        `chmod 600 ${path}`
      )
]

/** In which state the session is, and what to do. */
export const ofState = ({ end, lease, pending, state }: SessionReport): Finding => {
  switch (state) {
    case "none":
      return bad("session", "no session has started", "custody session start, with an unused API key")
    case "lost":
    case "invalid":
      return bad("session", `it cannot continue: ${end?.reason ?? state}`, "custody session start, with a new API key")
    case "ambiguous":
      return doubtful(
        "session",
        `the answer to its ${pending?.secret ?? "rotation"} was lost`,
        pending?.secret === "API key"
          ? "create a new API key: custody session start"
          : "nothing: the next call tries it once more"
      )
    case "rotating":
      return good("session", `${lease?.owner ?? "a process"} is rotating it`)
    case "expired":
      return good("session", "its access token has expired; the next call refreshes it")
    case "serving":
      return good("session", "its access token has not expired; only a call shows whether the service accepts it")
  }
}

const ofKey = ({ configuredKey, generation }: SessionReport): ReadonlyArray<Finding> => {
  if (configuredKey === null) return []
  if (configuredKey === "spent") {
    return [doubtful("API key", "CUSTODY_API_KEY is still set, and was sent", "remove it: it is never sent again")]
  }
  if (generation === null) return [good("API key", "CUSTODY_API_KEY was never sent")]
  const advice = "if the service refuses the stored session: custody session start --replace; otherwise remove the key"
  return [doubtful("API key", "CUSTODY_API_KEY was never sent: the stored session takes precedence", advice)]
}

/** Whether no secret was ever accepted at its address: such a record takes any other one. */
const isOfNoAddress = ({ lease, pending, spentKeys, state }: SessionReport): boolean =>
  state === "none" && lease === null && pending === null && spentKeys === 0

const ofEnvironment = (session: SessionReport, configured: Facts["configured"]): Finding => {
  const { environment } = session
  if (typeof configured === "string" && isOfNoAddress(session)) return good("environment", configured)
  if (configured === undefined) {
    return doubtful(
      "environment",
      `it belongs to ${environment}; no environment is configured`,
      "set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and CUSTODY_ENVIRONMENT"
    )
  }
  if (typeof configured === "object") {
    return bad("environment", configured.wrong, `correct it: the session belongs to ${environment}`)
  }
  if (configured === environment) return good("environment", environment)
  const found = `it belongs to ${environment}, and ${configured} is configured`
  return bad("environment", found, "use a session file for each environment")
}

const ofSession = (session: SessionReport, configured: Facts["configured"]): ReadonlyArray<Finding> => [
  ofState(session),
  session.lease !== null && !session.lease.isAlive
    ? doubtful("lease", `its holder ${session.lease.owner} is dead or paused`, "nothing: the next process takes over")
    : good("lease", session.lease === null ? "free" : "its holder is alive"),
  ofEnvironment(session, configured),
  ...ofKey(session)
]

/** Whether the tokens are encrypted. If they could be read without a key, they are stored in clear text. */
const ofEncryption = (key: "set" | "unset", areRead: boolean): ReadonlyArray<Finding> => {
  if (key === "set") return [good("encryption", "CUSTODY_SESSION_KEY is set")]
  const advice = "stop what uses it, set CUSTODY_SESSION_KEY (openssl rand -base64 32), and run custody session encrypt"
  return areRead ? [doubtful("encryption", "the tokens are stored in clear text", advice)] : []
}

/** All checks, in the order of their importance. */
export const examine = ({ configured, file, key, path, session }: Facts): ReadonlyArray<Finding> => {
  if (file === undefined) return [bad("file", `there is no ${path}`, "custody session start creates it")]
  if (session !== undefined && "unopened" in session) {
    return [bad("file", session.unopened, "see --session-file and CUSTODY_SESSION_FILE"), ...ofFile(file)]
  }
  const ofPlace = [good("file", path), ...ofFile(file)]
  // The session is not read then.
  if (typeof key === "object") {
    return [
      ...ofPlace,
      bad(
        "encryption",
        key.wrong,
        "set it to the key of the file; if the session is in clear text, unset these variables"
      )
    ]
  }
  const stored =
    session === undefined
      ? [bad("session", "the file has no session of this name", "see --identity, or custody session start")]
      : "unreadable" in session
        ? [
            bad(
              "session",
              session.unreadable,
              "compare CUSTODY_SESSION_KEY and the version with those of the service that wrote it; if it is in clear text, and yours: custody session encrypt"
            )
          ]
        : ofSession(session, configured)
  const areRead = session !== undefined && "generation" in session && session.generation !== null
  return [...ofPlace, ...ofEncryption(key, areRead), ...stored]
}
