/** All wire vectors over the usual transport, and every success over the others, where a body has the same meaning. */
import { transports } from "../support/clients/wireClient.ts"
import { checkOver } from "./vectors/check.ts"

const [usual, ...others] = transports
checkOver(usual)
for (const transport of others) checkOver(transport, ({ error }) => error === undefined)
