/** The version in `package.json`; written by `pnpm release manifests`. */
export const version = "0.1.0"
