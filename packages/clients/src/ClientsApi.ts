/** Specification: "Endpoint categories", Clients; "Other endpoints": their wire is not shown, and is assumed here. */
import * as ApiError from "@effect-custody/core/ApiError"
import * as EndpointSpec from "@effect-custody/core/EndpointSpec"
import * as Id from "@effect-custody/core/Id"
import * as Page from "@effect-custody/core/Page"
import * as HttpContract from "@effect-custody/core/unstable/HttpContract"
import * as Schema from "effect/Schema"
import { Client } from "./Client.ts"

const section = "Endpoint categories, Clients"

/** The externalId of a new client: not empty, at most 255 characters. */
const NewClientId = Id.named("ClientId").pipe(
  Schema.check(Schema.isMaxLength(255, { message: "must not exceed 255 characters" }))
)

/**
 * Clients: external entities in segregated and consolidated vaults.
 *
 * @since 0.1.0
 * @category contracts
 */
export class ClientsApi extends HttpContract.group("clients").add(
  HttpContract.post("create", "/clients/create", {
    payload: Schema.Struct({ id: NewClientId }),
    success: EndpointSpec.envelope(Client).pipe(HttpContract.status(201)),
    error: ApiError.authenticated
  }).pipe(
    EndpointSpec.assumed({
      safety: "keyed",
      section,
      existing: { operation: "clients.get", lookupInput: { externalId: "id" } }
    })
  ),
  HttpContract.post("createMany", "/clients/create-many", {
    payload: Schema.Struct({
      ids: Schema.Array(NewClientId).pipe(
        Schema.check(Schema.isMinLength(1, { message: "should not be empty" }), Schema.isUnique())
      )
    }),
    success: EndpointSpec.envelope(Schema.Array(Client)).pipe(HttpContract.status(201)),
    error: ApiError.authenticated
  }).pipe(
    EndpointSpec.assumed({
      safety: "keyed",
      section,
      lookUp: "clients.list",
      existing: { operation: "clients.get", lookupInput: { externalId: "ids" } }
    })
  ),
  HttpContract.get("list", "/clients", {
    query: Page.query,
    success: Page.envelope(Client),
    error: ApiError.authenticated
  }).pipe(EndpointSpec.assumed({ safety: "read", section })),
  HttpContract.get("get", "/clients/:externalId", {
    params: { externalId: Id.named("ClientId") },
    success: EndpointSpec.envelope(Client),
    error: ApiError.authenticatedResource
  }).pipe(
    EndpointSpec.assumed({ safety: "read", section, about: { parameter: "externalId", idFields: ["externalId"] } })
  )
) {}
