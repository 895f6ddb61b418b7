import { whateverIsSent } from "./whateverIsSent.ts"

whateverIsSent(2_000)
