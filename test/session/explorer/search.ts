import { type Explored, type Limits, walk } from "../../support/simulation/breadthFirst.ts"
import { nextOf } from "./environment.ts"
import { onState } from "./judge.ts"
import { begin, keyOf, type Scene, type World } from "./world.ts"

/** Walks all worlds of a scene; with `only`, those whose faults have such lines. */
export const explore = (scene: Scene, { only, ...limits }: Limits & { readonly only?: RegExp | undefined }): Explored =>
  walk<World>(
    {
      first: begin(scene),
      keyOf,
      nextOf: (world) =>
        nextOf(world).filter(
          ({ label, world: after }) => after.left.faults === world.left.faults || only?.test(label) !== false
        ),
      judge: (world, steps) => onState(world, steps.length === 0)
    },
    limits
  )
