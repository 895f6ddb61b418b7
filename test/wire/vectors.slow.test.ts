/** All wire vectors, over the usual transport. */
import { transports } from "../support/clients/wireClient.ts"
import { checkOver } from "./vectors/check.ts"

checkOver(transports[0])
