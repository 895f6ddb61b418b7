/** Imports what it is told, and says how long that took, in milliseconds. */
const begin = performance.now()
for (const specifier of process.argv.slice(2)) await import(specifier)
console.log(performance.now() - begin)
process.exit()
