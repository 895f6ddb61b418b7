/**
 * Pages that a program serves to the machine that it runs on.
 *
 * @since 0.2.0
 */
export * as Guard from "./Guard.ts"
export * as Page from "./Page.ts"
