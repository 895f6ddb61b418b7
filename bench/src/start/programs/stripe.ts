import Stripe from "stripe"
import { answered, origin } from "./answered.ts"

const { hostname, port } = new URL(origin)
const stripe = new Stripe("sk_test_1", { host: hostname, port, protocol: "http" })
answered(await stripe.balance.retrieve())
