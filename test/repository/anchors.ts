/** The anchors of a page, to which links and alerts lead. */
export const withoutCode = (page: string): string =>
  page
    .replaceAll(/^(\s*)(`{3,})[^]*?^\s*\2\s*$/gm, "")
    .replaceAll(/`[^`\n]*`/g, (code) => code.replaceAll(/[[\]()]/g, ""))

/** The anchors of a page, as GitHub makes them of its headings. */
export const anchorsOf = (page: string): ReadonlySet<string> => {
  const anchors = new Set<string>()
  for (const [, heading = ""] of withoutCode(page).matchAll(/^#{1,6}\s+(.*?)\s*#*$/gm)) {
    const slug = heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, "")
      .replaceAll(" ", "-")
    let anchor = slug
    for (let number = 1; anchors.has(anchor); number++) anchor = `${slug}-${number}`
    anchors.add(anchor)
  }
  return anchors
}
