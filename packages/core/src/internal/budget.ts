/** The retry budget of a client: how many calls there were lately, and how many extra requests. */

/** The bounds of a budget. */
export interface Bounds {
  /** Extra requests as a share of the calls. */
  readonly ratio: number
  /** Over how many seconds both are counted. */
  readonly windowSeconds: number
  /** How many extra requests are allowed in a window, however few calls there are. */
  readonly floor: number
}

/** The longest window. */
export const maxWindowSeconds = 60

export interface Budget {
  /** Counts a call that begins. */
  readonly called: (nowSeconds: number) => void
  /** Takes one extra request, if the calls of the window allow it. */
  readonly take: (nowSeconds: number, bounds: Bounds) => boolean
}

/** A budget with nothing counted. It counts by the second, and takes any clock that does not go back. */
export const make = (): Budget => {
  const slots = Array.from({ length: maxWindowSeconds }, () => ({ second: -1, calls: 0, extra: 0 }))

  const slotOf = (nowSeconds: number) => {
    const second = Math.floor(nowSeconds)
    const slot = slots[second % maxWindowSeconds]!
    if (slot.second !== second) {
      slot.second = second
      slot.calls = 0
      slot.extra = 0
    }
    return slot
  }

  return {
    called: (nowSeconds) => {
      slotOf(nowSeconds).calls++
    },
    take: (nowSeconds, { floor, ratio, windowSeconds }) => {
      const slot = slotOf(nowSeconds)
      let calls = 0
      let extra = 0
      for (const other of slots) {
        if (other.second > slot.second || other.second <= slot.second - windowSeconds) continue
        calls += other.calls
        extra += other.extra
      }
      if (extra >= Math.max(floor, calls * ratio)) return false
      slot.extra++
      return true
    }
  }
}
