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
/** In `packages/extensions`. Nothing outside of it imports one of them, tests included. */
const extensions = ["contract", "postgres", "redis", "ledger", "cli"]
const belowSdk = ["core", "authentication", ...categories]

/**
 * The rooms of a package by floor, from the ground up: the folders of its `src`. An import points to a room of the same
 * floor or of one below, and what is in no room stands above them all.
 */
const rooms: Record<string, ReadonlyArray<ReadonlyArray<string>>> = {
  core: [
    ["values", "json"],
    ["errors", "answer"],
    ["secrets", "session"],
    ["endpoint"],
    ["http"],
    ["retry", "lists", "status"],
    ["call"],
    ["telemetry"],
    ["client"]
  ],
  contract: [],
  emulator: [["model", "localPage"], ["state", "http"], ["categories"], ["service"], ["control"], ["server"]],
  ledger: [["database", "history", "payouts"], ["people"], ["service", "worker"], ["feed", "tieOut"]],
  cli: [["terminal"], ["service"], ["contract", "session", "payouts"]]
}

/**
 * The files of a package without rooms by floor, from the ground up. An import points to a file of the same floor or of
 * one below.
 */
const chapters: Record<string, ReadonlyArray<ReadonlyArray<string>>> = {
  authentication: [
    ["secrets"],
    ["Session", "SessionOptions", "Authentication"],
    ["TokenStore", "tokenEndpoint"],
    ["RowStore", "record"],
    ["recordStore"],
    ["sessionState"],
    ["decide"],
    ["pause"],
    ["rotation", "freshness"],
    ["TokenService"]
  ]
}

/** Whom each package may import. An import only ever points to a row above. */
const order: Record<string, ReadonlyArray<string>> = {
  core: [],
  contract: ["core"],
  authentication: ["core"],
  ...Object.fromEntries(categories.map((category) => [category, ["core"]])),
  sdk: belowSdk,
  node: ["core", "authentication", "sdk"],
  postgres: ["core", "authentication"],
  redis: ["core", "authentication"],
  ledger: ["core", "transactions"],
  emulator: [...belowSdk, "sdk"],
  testing: ["core", "authentication", "sdk", "emulator"],
  cli: ["core", "contract", "authentication", "transactions", "sdk", "node", "postgres", "redis", "ledger", "emulator"]
}

const platformNode = {
  regex: "^@effect/platform-node$",
  message: "Import a module by its subpath: the barrel needs `redis`."
}
const internal = {
  regex: "^@effect-custody/[^/]+/internal(/|$)",
  message: "What is internal to a package is nobody else's business."
}

interface Pattern {
  readonly regex?: string
  readonly group?: Array<string>
  readonly message: string
}

const patternsOf = (name: string, allowed: ReadonlyArray<string>): Array<Pattern> => {
  const upwards = Object.keys(order).filter((other) => !allowed.includes(other))
  const patterns: Array<Pattern> = [
    platformNode,
    internal,
    {
      regex: `^@effect-custody/(${upwards.join("|")})(/|$)`,
      message: `\`${name}\` may import ${allowed.length === 0 ? "no package of this workspace" : `only ${allowed.join(", ")}`}.`
    },
    {
      regex: "^(\\.\\./)+(packages/)?(extensions/)?[a-z-]+/src(/|$)",
      message: "Another package is imported by its name, not by a path."
    }
  ]
  if (belowSdk.includes(name) || ["contract", "sdk"].includes(name)) {
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
        "!@effect-custody/sdk/CustodyApi",
        "!@effect-custody/sdk/EnvironmentConfig"
      ],
      message: "`node` imports `CustodyApi` with the categories on demand: only for a file of adapters."
    })
  }
  return patterns
}

const folderOf = (name: string) => (extensions.includes(name) ? `packages/extensions/${name}` : `packages/${name}`)

const restricted = (files: string, patterns: ReadonlyArray<Pattern>) => ({
  files: [files],
  rules: { "no-restricted-imports": ["error", { patterns }] as ["error", object] }
})

/** The rules of a package, and of each of its rooms. Of several that apply to a file, the last one counts. */
const importRules = (name: string, allowed: ReadonlyArray<string>) => {
  const patterns = patternsOf(name, allowed)
  const floors = rooms[name] ?? []
  const ofRooms = floors.flatMap((floor, level) => {
    const above = floors.slice(level + 1).flat()
    return floor.map((room) =>
      restricted(`${folderOf(name)}/src/${room}/**`, [
        ...patterns,
        {
          regex: `^\\.\\./(${[...above, "[^/]+$"].join("|")})`,
          message: `\`${room}\` may import only rooms of its own floor and of those below.`
        }
      ])
    )
  })
  const ofChapters = (chapters[name] ?? []).flatMap((floor, level, all) =>
    floor.map((chapter) =>
      restricted(`${folderOf(name)}/src/${chapter}.ts`, [
        ...patterns,
        {
          regex: `^\\./(${["index", ...all.slice(level + 1).flat()].join("|")})\\.ts$`,
          message: `\`${chapter}\` may import only files of its own floor and of those below.`
        }
      ])
    )
  )
  return [restricted(`${folderOf(name)}/src/**`, patterns), ...ofRooms, ...ofChapters]
}

export default defineConfig({
  extends: [effect],
  plugins: ["typescript", "unicorn", "oxc", "import"],
  options: { typeAware: true },
  categories: { correctness: "error" },
  ignorePatterns: ["**/dist/**", "**/lib/**", "**/node_modules/**", "tools/interop/generated/**"],
  rules: {
    "no-restricted-imports": ["error", { patterns: [platformNode, internal] }],
    "import/no-cycle": ["error", { ignoreTypes: false }]
  },
  overrides: [
    ...Object.entries(order).flatMap(([name, allowed]) => importRules(name, allowed)),
    ...Object.keys(order)
      .filter((name) => !extensions.includes(name))
      .map((name) =>
        restricted(`packages/${name}/test/**`, [
          platformNode,
          internal,
          {
            regex: `^@effect-custody/(${extensions.join("|")})(/|$)`,
            message: "Nothing outside of `packages/extensions` imports an extension."
          }
        ])
      ),
    restricted("packages/core/test/**", [
      platformNode,
      internal,
      {
        regex: `^@effect-custody/(${Object.keys(order)
          .filter((name) => name !== "core")
          .join("|")})(/|$)|/test/(wire/|support/(worlds/|clients/(sdkApi|wireClient)))`,
        message: "A test of `core` needs nothing above `core`."
      }
    ]),
    {
      files: ["packages/testing/src/Conformance.ts", "packages/testing/src/internal/conformance/**"],
      rules: {
        "no-restricted-imports": [
          "error",
          {
            patterns: [
              internal,
              {
                regex: `^@effect-custody/(${Object.keys(order)
                  .filter((name) => name !== "core" && name !== "contract")
                  .join("|")})(/|$)`,
                message:
                  "The conformance checks state the specification themselves: they need only `core` and `contract`."
              }
            ]
          }
        ] as ["error", object]
      }
    },
    {
      // What is Node's by purpose may use Node.
      files: [
        "packages/{node,emulator,testing,extensions/postgres,extensions/redis,extensions/ledger,extensions/cli}/**",
        "packages/{*,extensions/*}/test/**",
        "test/**",
        "bench/**",
        "examples/**",
        "tools/**"
      ],
      rules: { "effecttsgo/node-builtin-import": "off" }
    },
    {
      // An example says what it found.
      files: ["examples/**"],
      rules: { "effecttsgo/global-console": "off" }
    },
    {
      // Plain scripts, tests, and what runs in a browser: outside Effect.
      files: [
        "packages/{*,extensions/*}/src/browser/**",
        "test/**",
        "packages/{*,extensions/*}/test/**",
        "examples/*/test/**",
        "bench/**",
        "tools/**",
        "*.config.ts"
      ],
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
