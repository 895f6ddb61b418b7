import { sqlitePlace } from "../support/sqlitePlace.ts"
import { tokenStoreConformance } from "../support/tokenStoreConformance.ts"

tokenStoreConformance("SQLite", sqlitePlace, { outlives: true })
