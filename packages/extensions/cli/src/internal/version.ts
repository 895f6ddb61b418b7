/** The version from `package.json`. `pnpm release manifests` writes this file. */
export const version = "0.1.0"
