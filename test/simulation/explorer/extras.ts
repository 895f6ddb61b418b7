/** Each extra of the session, and the change that takes it away. */
import type { Bugs } from "../bugs.ts"

export const extras: Bugs = {}
