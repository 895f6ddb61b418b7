/** The version in `package.json`; written by `pnpm manifests`. */
export const version = "0.1.0"
