/** One category, whole. */
export * from "@effect-custody/vaults"
