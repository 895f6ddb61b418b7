import { recommended as effect } from "@effect/tsgo/oxlint-presets"
import { defineConfig } from "oxlint"

const categories = [
  "clients",
  "wallets",
  "vaults",
  "transactions",
  "assets",
  "tokens",
  "nfts",
  "payment-orders",
  "fiat-gateway"
]
const belowSdk = ["core", "authentication", ...categories]

/** Whom each package may import. An import only ever points to a row above. */
const order: Record<string, ReadonlyArray<string>> = {
  core: [],
  authentication: ["core"],
  ...Object.fromEntries(categories.map((category) => [category, ["core"]])),
  sdk: belowSdk,
  node: ["core", "authentication", "sdk"],
  postgres: ["core", "authentication"],
  emulator: [...belowSdk, "sdk"],
  testing: ["core", "authentication", "sdk", "emulator"],
  cli: ["core", "authentication", "sdk", "node", "emulator", "testing"]
}

const platformNode = {
  regex: "^@effect/platform-node$",
  message: "Import a module by its subpath: the barrel needs `redis`."
}
const internal = {
  regex: "^@effect-custody/[^/]+/internal(/|$)",
  message: "What is internal to a package is nobody else's business."
}

const importRules = (name: string, allowed: ReadonlyArray<string>) => {
  const upwards = Object.keys(order).filter((other) => !allowed.includes(other))
  const patterns: Array<{ regex?: string; group?: Array<string>; message: string }> = [
    platformNode,
    internal,
    {
      regex: `^@effect-custody/(${upwards.join("|")})(/|$)`,
      message: `\`${name}\` may import ${allowed.length === 0 ? "no package of this workspace" : `only ${allowed.join(", ")}`}.`
    },
    {
      regex: "^(\\.\\./)+(packages/)?[a-z-]+/src(/|$)",
      message: "Another package is imported by its name, not by a path."
    }
  ]
  if (belowSdk.includes(name) || name === "sdk") {
    patterns.push({
      regex: "^(node:|@effect/platform-node)",
      message: `\`${name}\` runs everywhere: no part of Node here.`
    })
  }
  if (name === "node") {
    patterns.push({
      group: [
        "@effect-custody/sdk",
        "@effect-custody/sdk/*",
        "!@effect-custody/sdk/Custody",
        "!@effect-custody/sdk/CustodyApi"
      ],
      message:
        "`node` needs the `Custody` module; the categories come with `CustodyApi`, which is loaded where a contract is."
    })
  }
  return {
    files: [`packages/${name}/src/**`],
    rules: { "no-restricted-imports": ["error", { patterns }] as ["error", object] }
  }
}

export default defineConfig({
  extends: [effect],
  plugins: ["typescript", "unicorn", "oxc", "import"],
  options: { typeAware: true },
  categories: { correctness: "error" },
  ignorePatterns: ["**/dist/**", "**/lib/**", "**/node_modules/**", "tools/interop/generated/**"],
  rules: {
    "no-restricted-imports": ["error", { patterns: [platformNode, internal] }],
    "import/no-cycle": "error"
  },
  overrides: [
    ...Object.entries(order).map(([name, allowed]) => importRules(name, allowed)),
    {
      files: ["packages/testing/src/Conformance.ts", "packages/testing/src/internal/conformance/**"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              internal,
              {
                regex: "^@effect-custody/(?!core/)",
                message: "The conformance checks state the specification themselves: they need `core` alone."
              }
            ]
          }
        ] as ["error", object]
      }
    },
    {
      // What is Node's by purpose may use Node.
      files: ["packages/{node,postgres,emulator,testing,cli}/**", "test/**", "bench/**", "examples/**", "tools/**"],
      rules: { "effecttsgo/node-builtin-import": "off" }
    },
    {
      // An example says what it found.
      files: ["examples/**"],
      rules: { "effecttsgo/global-console": "off" }
    },
    {
      // Plain scripts and tests, outside Effect.
      files: ["test/**", "bench/**", "tools/**", "*.config.ts"],
      rules: {
        "effecttsgo/any-unknown-in-error-context": "off",
        "effecttsgo/async-function": "off",
        "effecttsgo/global-console": "off",
        "effecttsgo/global-date": "off",
        "effecttsgo/global-fetch": "off",
        "effecttsgo/global-timers": "off",
        "effecttsgo/new-promise": "off",
        "effecttsgo/prefer-schema-over-json": "off",
        "effecttsgo/process-env": "off",
        "effecttsgo/schema-sync": "off"
      }
    }
  ]
})
