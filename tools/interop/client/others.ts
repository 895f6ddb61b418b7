/** What the other side of the service does, through the emulator. */
export interface Others {
  readonly fund: (clientId: string, assetId: string, amount: string) => Promise<unknown>
  readonly payLink: (linkId: string) => Promise<unknown>
}
