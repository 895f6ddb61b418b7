export { TokenService } from "@effect-custody/core/TokenService"
