/** The operations of the SDK, as {@link OperationMatch} compares them with a document. */
import * as OperationMatch from "@effect-custody/contract/unstable/OperationMatch"
import { CustodyApi } from "@effect-custody/sdk/CustodyApi"

let operations: ReadonlyArray<OperationMatch.OwnOperation> | undefined

/** Reads them once, on first use. */
export const ownOperations = () => (operations ??= OperationMatch.ownOperations(CustodyApi))
