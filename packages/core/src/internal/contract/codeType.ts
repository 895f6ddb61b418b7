/** What marks a wire that is said in code. */
export const TypeId = "~@effect-custody/core/Wire/Code"
