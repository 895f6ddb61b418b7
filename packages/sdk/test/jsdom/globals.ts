/** The globals of a browser, as jsdom defines them before a test is loaded. */
Object.assign(globalThis, { window: globalThis, document: {} })
