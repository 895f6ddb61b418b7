/** A plugin of TypeDoc: it names each module by its import path, wherever its file is, and shows the first sentence. */
import { readFileSync } from "node:fs"
import * as Path from "node:path"
import { type Application, Comment, Converter, ReflectionKind } from "typedoc"
import { moduleSummary } from "../docs/summaries.ts"
import { root } from "../workspace.ts"
import { modules } from "./modules.ts"

export const load = (app: Application): void => {
  app.converter.on(Converter.EVENT_RESOLVE_BEGIN, ({ project }) => {
    for (const reflection of project.getReflectionsByKind(ReflectionKind.Module)) {
      const module = modules.find(({ file }) => file === `packages/${reflection.name}.ts`)
      if (module === undefined) throw new Error(`${reflection.name} is not a public module`)
      const summary = moduleSummary(readFileSync(Path.join(root, module.file), "utf8"))
      reflection.name = module.specifier
      reflection.comment ??= new Comment([{ kind: "text", text: `${summary}.` }])
    }
  })
}
