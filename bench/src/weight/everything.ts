/** All that a program on Node imports, whole. */
export * from "@effect-custody/node"
export * from "@effect-custody/sdk"
