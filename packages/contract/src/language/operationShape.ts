/** What a plan needs to know of an operation. Pure. */
import type * as Declaration from "@effect-custody/core/unstable/Declaration"
import * as Shape from "@effect-custody/core/unstable/Shape"

export interface OperationShape {
  readonly declaration: Declaration.Declaration
  readonly operation: string
  readonly route: Declaration.Route
  readonly safety: Declaration.Safety
  readonly input: ReadonlyMap<string, Shape.InputField>
  readonly body: "None" | "Json" | "Multipart"
  readonly payload: Shape.Shape
  /** `true` if a success must have a payload. */
  readonly needsPayload: boolean
  /** `true` if the input has `page` and `limit`. */
  readonly isPaged: boolean
}

export const make = (declaration: Declaration.Declaration): OperationShape => {
  const { isMultipart, operation, payload, route, safety } = declaration
  return {
    declaration,
    operation,
    route,
    safety,
    input: Shape.input(declaration),
    body: payload === undefined ? "None" : isMultipart ? "Multipart" : "Json",
    payload: Shape.payload(declaration),
    needsPayload: Shape.needsPayload(declaration),
    isPaged: Shape.isPaged(declaration)
  }
}
