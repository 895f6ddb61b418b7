/** A bar for each contender, drawn for a page in light or dark. */
import type { Spread } from "../support/statistics.ts"
import type { JobName } from "./jobs.ts"
import type { Service } from "./tls.ts"

export interface Row {
  readonly name: string
  readonly service: Service
  readonly job: JobName
  /** CPU time of a call, in microseconds, when nothing disturbs it. */
  readonly microseconds: number
  /** The median of the ratios to the baseline in the same round. */
  readonly ratio: number
  /** The middle half of the ratios of all rounds. */
  readonly spread: Spread
}

interface Setting {
  readonly date: string
  readonly node: string
  readonly inFlight: number
}

const width = 760
const left = 300
const step = 27
const top = 46

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;")

export const chart = ({ date, inFlight, node }: Setting, rows: ReadonlyArray<Row>): string => {
  const sorted = rows.toSorted((a, b) => a.ratio - b.ratio)
  const maxRatio = Math.max(...sorted.flatMap(({ ratio, spread }) => [ratio, spread.high]))
  const scale = (width - left - 70) / maxRatio
  const height = top + sorted.length * step + 12
  const bars = sorted.map(({ name, ratio, spread }, at) => {
    const y = top + at * step
    const ours = name.startsWith("effect-custody")
    const end = left + ratio * scale
    return `  <text class="name${ours ? " ours" : ""}" x="${left - 10}" y="${y + 15}">${escaped(name)}</text>
  <rect class="${ours ? "our-bar" : "bar"}" x="${left}" y="${y}" width="${(end - left).toFixed(1)}" height="20" rx="3"/>
  <line class="spread" x1="${(left + spread.low * scale).toFixed(1)}" x2="${(left + spread.high * scale).toFixed(1)}" y1="${y + 10}" y2="${y + 10}"/>
  <text class="value" x="${(left + Math.max(ratio, spread.high) * scale + 8).toFixed(1)}" y="${y + 15}">${ratio.toFixed(2)} ×</text>`
  })
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" role="img" aria-label="CPU time of a write over TLS, as a multiple of undici.request">
  <style>
    text { font: 13px system-ui, sans-serif; fill: #1f2328 }
    .title { font-weight: 600 }
    .note { fill: #59636e; font-size: 12px }
    .name { text-anchor: end }
    .ours { font-weight: 600 }
    .bar { fill: #afb8c1 }
    .our-bar { fill: #1a7f64 }
    .spread { stroke: #1f2328; stroke-width: 1.5 }
    @media (prefers-color-scheme: dark) {
      text { fill: #f0f6fc }
      .note { fill: #9198a1 }
      .bar { fill: #59636e }
      .our-bar { fill: #3fb68b }
      .spread { stroke: #f0f6fc }
    }
  </style>
  <text class="title" x="0" y="16">CPU time of a write over TLS, as a multiple of undici.request</text>
  <text class="note" x="0" y="34">${date}, Node ${node}, ${inFlight} calls in flight, a service with HTTP/2; the line is the middle half of the rounds</text>
${bars.join("\n")}
</svg>
`
}
