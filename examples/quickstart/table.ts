/** Rows as text, aligned. */
export const table = (header: ReadonlyArray<string>, rows: ReadonlyArray<ReadonlyArray<string | number>>): string => {
  const all = [header, ...rows].map((row) => row.map(String))
  const widths = header.map((_, column) => Math.max(...all.map((row) => (row[column] ?? "").length)))
  const line = (row: ReadonlyArray<string>) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join("  ")
  const rule = widths.map((width) => "─".repeat(width)).join("  ")
  return [line(all[0]!), rule, ...all.slice(1).map(line)].map((text) => `  ${text}`).join("\n")
}
