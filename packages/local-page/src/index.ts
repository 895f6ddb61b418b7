/**
 * Pages that a program serves to the machine that it runs on.
 *
 * @since 0.1.0
 */
export * as Guard from "./Guard.ts"
export * as Page from "./Page.ts"
