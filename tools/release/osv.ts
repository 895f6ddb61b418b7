/**
 * `node tools/release/osv.ts FILE`: fails if a result of OSV-Scanner has a weakness of high severity (7.0 of 10 and more),
 * or one without a number. The others are said.
 */
import { readFileSync } from "node:fs"

interface Result {
  readonly results?: ReadonlyArray<{
    readonly source: { readonly path: string }
    readonly packages: ReadonlyArray<{
      readonly package: { readonly name: string; readonly version: string }
      readonly groups?: ReadonlyArray<{ readonly ids: ReadonlyArray<string>; readonly max_severity?: string }>
    }>
  }> | null
}

/** Every weakness that a result names. */
export const weaknesses = ({ results }: Result) => {
  // A result without the field is no result: a scan that found nothing has an empty one.
  if (results === undefined) throw new Error("this is no result of OSV-Scanner")
  return (results ?? []).flatMap(({ packages, source }) =>
    packages.flatMap(({ groups = [], package: { name, version } }) =>
      groups.map(({ ids, max_severity: severity = "" }) => ({
        isHigh: !(severity !== "" && Number(severity) < 7),
        text: `${name} ${version}: ${ids.join(", ")}, severity ${severity || "unknown"} (${source.path})`
      }))
    )
  )
}

if (import.meta.main) {
  const found = weaknesses(JSON.parse(readFileSync(process.argv[2]!, "utf8")))
  for (const { isHigh, text } of found) console.log(`${isHigh ? "✗" : "·"} ${text}`)
  if (found.some(({ isHigh }) => isHigh)) process.exitCode = 1
  else console.log("✓ no weakness of high severity is known")
}
