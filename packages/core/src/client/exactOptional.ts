/** Fields of an input that may be left out, and must not be `undefined`. */
import * as Schema from "effect/Schema"

/**
 * The type of an {@link exact} field.
 *
 * @since 0.1.0
 * @category models
 */
export interface exact<S extends Schema.Constraint> extends Schema.optionalKey<S> {
  readonly "~custodyDefined": true
}

/**
 * Makes an optional field of an input. A caller may leave the field out, but must not set it to `undefined`, because an
 * accidental `undefined` must not change what the call moves. In every other optional field, `undefined` means absent.
 *
 * @since 0.1.0
 * @category constructors
 */
export const exact = <S extends Schema.Top>(schema: S): exact<S> =>
  Schema.optionalKey(schema).annotate({ custodyDefined: true }) as exact<S>
