/** What the commands of the explorers share: their options, and the walk of each scene. */
import { parseArgs, type ParseArgsConfig } from "node:util"
import type { Explored } from "./breadthFirst.ts"

/** Reads the options of the command, all with a value. */
export const readOptions = <const Name extends string>(defaults: Readonly<Record<Name, string | undefined>>) => {
  const options: NonNullable<ParseArgsConfig["options"]> = {}
  for (const [name, value] of Object.entries<string | undefined>(defaults)) {
    options[name] = { type: "string", ...(value === undefined ? {} : { default: value }) }
  }
  const { values } = parseArgs({ options })
  const text = (name: Name) => values[name] as string | undefined
  const number = (name: Name): number => {
    const value = Number(text(name))
    if (Number.isSafeInteger(value) && value >= 0) return value
    console.error(`--${name} must be a whole number`)
    return process.exit(2)
  }
  return { text, number }
}

/** Walks scenes until an invariant breaks, and prints each walk. The process then exits with 1. */
export const walkScenes = <Scene>(
  scenes: Readonly<Record<string, Scene>>,
  explore: (scene: Scene) => Explored,
  isChosen: (title: string) => boolean
): void => {
  for (const [title, scene] of Object.entries(scenes)) {
    if (!isChosen(title)) continue
    const started = performance.now()
    const { broken, depth, isWhole, list, states } = explore(scene)
    const seconds = ((performance.now() - started) / 1000).toFixed(1)
    const how = broken ?? (isWhole ? "no invariant can be broken" : "nothing broken so far")
    console.log(`${title}: ${how} (${states} states, depth ${depth}, ${seconds} s)`)
    for (const [index, line] of list.entries()) console.log(`  ${index + 1}. ${line}`)
    if (broken !== undefined) {
      process.exitCode = 1
      return
    }
  }
}
