/** A plugin of TypeDoc: it names each module by its import path, wherever its file is, and shows the summary. */
import { type Application, Comment, Converter, ReflectionKind } from "typedoc"
import { modules } from "./modules.ts"

export const load = (app: Application): void => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Module)) {
      const module = modules.find(({ file }) => file === `packages/${reflection.name}.ts`)
      if (module === undefined) throw new Error(`${reflection.name} is not a public module`)
      reflection.name = module.specifier
      reflection.comment ??= new Comment([{ kind: "text", text: module.summary }])
    }
  })
}
