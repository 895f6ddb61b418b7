/** The small worlds: their starts, and the limits of their events. */
import type { Scene } from "./world.ts"

export const scenes = (processes: number, faults: number): Readonly<Record<string, Scene>> => ({
  refresh: { processes, isStarted: true, left: { faults, expiries: 1, early: 0, closes: 0, boots: 1 } },
  early: { processes, isStarted: true, left: { faults, expiries: 1, early: 1, closes: 0, boots: 0 } },
  start: { processes, isStarted: false, left: { faults, expiries: 0, early: 0, closes: 0, boots: 1 } },
  end: { processes, isStarted: true, left: { faults, expiries: 1, early: 0, closes: processes, boots: 0 } },
  "start and end": { processes, isStarted: false, left: { faults, expiries: 0, early: 0, closes: processes, boots: 0 } }
})
