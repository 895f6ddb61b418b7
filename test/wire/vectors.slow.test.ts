/** All wire vectors over the usual transport, and every success over the others: what a body means is the same for all. */
import { transports } from "../support/clients/wireClient.ts"
import { checkOver } from "./vectors/check.ts"

const [usual, ...others] = transports
checkOver(usual)
for (const transport of others) checkOver(transport, ({ error }) => error === undefined)
