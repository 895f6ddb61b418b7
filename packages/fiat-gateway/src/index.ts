/** The fiat gateway: payment links by which clients deposit fiat funds, and refunds. */
export * as FiatGateway from "./FiatGateway.ts"
export { PaymentLink, PaymentLinkStatus, PaymentMethod } from "./PaymentLink.ts"
export { Refund } from "./Refund.ts"
