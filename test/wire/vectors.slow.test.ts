/** All wire vectors over undici and HTTP/2, and every success over the others, where a body has the same meaning. */
import { http1Transports, http2 } from "../support/clients/wireClient.ts"
import { checkOver } from "./vectors/check.ts"

const [usual, ...others] = http1Transports
checkOver(usual)
checkOver(http2)
for (const transport of others) checkOver(transport, ({ error }) => error === undefined)
