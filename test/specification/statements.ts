/** All statements of the specification, numbered in its order. */
import * as Resources from "./resources-and-endpoints.ts"
import * as Service from "./service-and-categories.ts"
import * as Sessions from "./sessions-and-errors.ts"
import type { Section, Statement } from "./statement.ts"

const inOrder: ReadonlyArray<Section> = [
  Service.purpose,
  Service.environments,
  Service.categories,
  ...Resources.sections,
  ...Sessions.sections
]

/** A statement with its place in the specification. */
export interface Numbered extends Statement {
  readonly number: number
  readonly section: string
}

export const numbered: ReadonlyArray<Numbered> = inOrder
  .flatMap(({ statements, title }) => statements.map((statement) => ({ ...statement, section: title })))
  .map((statement, index) => ({ ...statement, number: index + 1 }))

export const sections = [...Map.groupBy(numbered, ({ section }) => section)].map(([title, statements]) => ({
  title,
  statements
}))
