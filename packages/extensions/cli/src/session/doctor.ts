/** Finds what may be wrong with a stored session, and gives advice. Pure. */
import type { Environment } from "@effect-custody/core/Environment"
import * as Result from "effect/Result"
import type { FileFacts } from "../service/sessionPlace.ts"
import type { SessionReport } from "./report.ts"

export interface Finding {
  readonly verdict: "good" | "doubtful" | "bad"
  readonly about: string
  readonly found: string
  /** The advice. Empty if nothing has to be done. */
  readonly advice: string
}

export interface Facts {
  /** The name of the file or the database. */
  readonly place: string
  readonly file: FileFacts
  /** The state of `CUSTODY_SESSION_KEY`, or its mistake. */
  readonly key: "set" | "unset" | { readonly wrong: string }
  /** The session, or the reason why it cannot be read. `unopened`: the file or the database cannot be used. */
  readonly session: SessionReport | { readonly unreadable: string } | { readonly unopened: string } | undefined
  /** The configured service, if there is one, or its mistake. */
  readonly configured: Result.Result<Environment, { readonly message: string }> | undefined
}

const finding =
  (verdict: Finding["verdict"]) =>
  (about: string, found: string, advice = ""): Finding => ({ verdict, about, found, advice })
const [good, doubtful, bad] = [finding("good"), finding("doubtful"), finding("bad")]

const checkFile = (path: string, { isOurs, mode }: Exclude<FileFacts, string>): ReadonlyArray<Finding> => [
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

const checkState = ({ end, lease, pending, state }: SessionReport): Finding => {
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

const checkKey = ({ configuredKey, generation }: SessionReport): ReadonlyArray<Finding> => {
  if (configuredKey === null) return []
  if (configuredKey === "spent") {
    return [doubtful("API key", "CUSTODY_API_KEY is still set, and was sent", "remove it: it is never sent again")]
  }
  if (generation === null) return [good("API key", "CUSTODY_API_KEY was never sent")]
  const advice = "if the service refuses the stored session: custody session start --replace; otherwise remove the key"
  return [doubtful("API key", "CUSTODY_API_KEY was never sent: the stored session takes precedence", advice)]
}

const checkEnvironment = (session: SessionReport, configured: Facts["configured"]): Finding => {
  const { environment, lease, pending, spentKeys, state } = session
  if (configured === undefined) {
    const advice = "set CUSTODY_BASE_URL, or CUSTODY_SUBDOMAIN, CUSTODY_HOST and CUSTODY_ENVIRONMENT"
    return doubtful("environment", `it belongs to ${environment}; no environment is configured`, advice)
  }
  if (Result.isFailure(configured)) {
    return bad("environment", configured.failure.message, `correct it: the session belongs to ${environment}`)
  }
  const { baseUrl } = configured.success
  // A record without any secret accepts any address.
  const isEmpty = state === "none" && lease === null && pending === null && spentKeys === 0
  if (isEmpty || baseUrl === environment) return good("environment", baseUrl)
  const found = `it belongs to ${environment}, and ${baseUrl} is configured`
  return bad("environment", found, "use a session file for each environment")
}

const checkSession = (session: SessionReport, configured: Facts["configured"]): ReadonlyArray<Finding> => [
  checkState(session),
  session.lease !== null && !session.lease.isAlive
    ? doubtful("lease", `its holder ${session.lease.owner} is dead or paused`, "nothing: the next process takes over")
    : good("lease", session.lease === null ? "free" : "its holder is alive"),
  checkEnvironment(session, configured),
  ...checkKey(session)
]

/** Judges the encryption. Tokens that were read without a key are stored in clear text. */
const checkEncryption = (key: Facts["key"], areRead: boolean): ReadonlyArray<Finding> => {
  if (typeof key === "object") {
    const advice = "set it to the key of the file; if the session is in clear text, unset these variables"
    return [bad("encryption", key.wrong, advice)]
  }
  if (key === "set") return [good("encryption", "CUSTODY_SESSION_KEY is set")]
  const advice = "stop what uses it, set CUSTODY_SESSION_KEY (openssl rand -base64 32), and run custody session encrypt"
  return areRead ? [doubtful("encryption", "the tokens are stored in clear text", advice)] : []
}

/** Runs all checks in the order of their importance. */
export const examine = ({ configured, file, key, place, session }: Facts): ReadonlyArray<Finding> => {
  if (file === "missing") return [bad("file", `there is no ${place}`, "custody session start creates it")]
  const isFile = file !== "database"
  const about = isFile ? "file" : "database"
  const permissions = isFile ? checkFile(place, file) : []
  if (session !== undefined && "unopened" in session) {
    const advice = isFile ? "see --session-file and CUSTODY_SESSION_FILE" : "see --database-url and CUSTODY_SESSION_URL"
    return [bad(about, session.unopened, advice), ...permissions]
  }
  const areRead = session !== undefined && "generation" in session && session.generation !== null
  const aboutPlace = [good(about, place), ...permissions, ...checkEncryption(key, areRead)]
  // Without a valid encryption key, the session cannot be read.
  if (typeof key === "object") return aboutPlace
  if (session === undefined) {
    const found = `the ${about} has no session of this name`
    return [...aboutPlace, bad("session", found, "see --identity, or custody session start")]
  }
  if (!("unreadable" in session)) return [...aboutPlace, ...checkSession(session, configured)]
  const advice =
    "compare CUSTODY_SESSION_KEY and the version with those of the service that wrote it; if it is in clear text, and yours: custody session encrypt"
  return [...aboutPlace, bad("session", session.unreadable, advice)]
}
