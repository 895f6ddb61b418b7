/** Payment orders: crypto payments to receive, each with a payment link and an assigned wallet. */
export { ChangedPaymentOrder, PaymentOrder, PaymentOrderStatus, SubmittedPaymentOrder } from "./PaymentOrder.ts"
export * as PaymentOrders from "./PaymentOrders.ts"
