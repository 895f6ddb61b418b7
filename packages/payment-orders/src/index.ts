/** Payment orders: crypto payments to receive, each with a payment link and an assigned wallet. */
export * from "./records.ts"
export * as PaymentOrders from "./PaymentOrders.ts"
