/** The fiat gateway: payment links by which clients deposit fiat funds, and refunds. */
export * from "./records.ts"
export * as FiatGateway from "./FiatGateway.ts"
