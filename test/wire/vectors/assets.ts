/** Assets, tokens and NFTs: all of their wires are assumed. */
import { ethereum } from "./custody.ts"
import { list, type Operation, read, refusedAmounts, row, write } from "./operation.ts"

export const assets: ReadonlyArray<Operation> = [
  list("assets.list", "/assets", "assets", {
    id: "usdc",
    symbol: "USDC",
    decimals: 6,
    name: "USD Coin",
    contractAddress: "0xA0b8",
    type: "TOKEN",
    status: "ACTIVE",
    logo: "https://example.com/usdc.svg",
    networkId: "ethereum",
    network: ethereum,
    price: "0.9998"
  }),
  list("assets.configuration", "/assets/configuration", "the vault's configuration of assets", {
    assetId: "usdc",
    networkId: "ethereum",
    enabled: true,
    minimumDeposit: "1.5"
  })
]

const bond = {
  id: "tok-1",
  type: "SECURITY",
  name: "Acme Bond 2030",
  symbol: "ACME30",
  decimals: 6,
  supply: "1000000.000000",
  networkId: "ethereum",
  status: "COMPLETED"
}
const newToken = { type: "FUNGIBLE", name: "Acme Bond 2030", symbol: "ACME30", networkId: "ethereum" }
const deed = { name: "deed.pdf", contentType: "application/pdf", text: "%PDF-1.7" }

export const tokens: ReadonlyArray<Operation> = [
  read("tokens.get", "/tokens/:tokenId", [row("gives a token", { tokenId: "tok-1" }, bond)]),
  list("tokens.networks", "/tokens/networks", "the networks of tokens", ethereum),
  write(
    "tokens.create",
    "POST /tokens/create",
    "vaults.assets",
    [
      row(
        "creates a token with a logo",
        {
          ...newToken,
          type: "SECURITY",
          decimals: 6,
          initialSupply: "1000000.50",
          description: "Zwei Zeilen:\r\n--und mehr",
          logo: { name: 'lo"go é.svg', contentType: "image/svg+xml", text: "<svg/>\r\n" }
        },
        bond
      ),
      row("is multipart without a file too", newToken, { id: "8" }),
      row("sends and keeps a type that nobody knows", { ...newToken, type: "STABLE" }, { id: "9", type: "STABLE" })
    ],
    {
      isForm: true,
      refused: [
        { name: "a name is not empty", input: { ...newToken, name: "" }, paths: [["name"]] },
        { name: "a type is required", input: { name: "A", symbol: "A", networkId: "ethereum" }, paths: [["type"]] },
        { name: "decimals are not negative", input: { ...newToken, decimals: -1 }, paths: [["decimals"]] },
        { name: "a supply is above zero", input: { ...newToken, initialSupply: "0" }, paths: [["initialSupply"]] }
      ]
    }
  ),
  write(
    "tokens.mint",
    "POST /tokens/:tokenId/mint",
    "tokens.get",
    [
      row(
        "mints with a document",
        { tokenId: "tok-1", amount: "250.000001", toWalletId: "w-1", note: "second tranche", document: deed },
        { tokenId: "tok-1", transactionId: "t-9", status: "PENDING", amount: "250.000001", supply: "1000250.000001" }
      ),
      row("promises nothing of the answer", { tokenId: "tok/1", amount: "1" }, {}, { path: "/tokens/tok%2F1/mint" })
    ],
    { isForm: true, refused: refusedAmounts({ tokenId: "tok-1" }) }
  ),
  write(
    "tokens.burn",
    "POST /tokens/:tokenId/burn",
    "tokens.get",
    [
      row(
        "burns with a document",
        {
          tokenId: "tok-1",
          amount: "0.000000000000000001",
          fromWalletId: "w-1",
          note: "redeemed",
          document: { name: "empty.txt", contentType: "text/plain", text: "" }
        },
        { tokenId: "tok-1", amount: "0.000000000000000001" }
      )
    ],
    { isForm: true, refused: refusedAmounts({ tokenId: "tok-1" }) }
  ),
  read("tokens.metadata", "/tokens/:tokenId/metadata", [
    row("gives what the issuer says", { tokenId: "tok-1" }, { name: "Acme Bond 2030", isin: "XS0000000000" })
  ]),
  write("tokens.updateMetadata", "PUT /tokens/:tokenId/metadata", "tokens.metadata", [
    row(
      "replaces what the issuer says",
      { tokenId: "tok-1", metadata: { description: "A bond of Acme", terms: { coupon: 4.25, callable: false } } },
      { description: "A bond of Acme" }
    )
  ])
]

const nft = {
  id: "nft-1",
  name: "Deed 17",
  collection: "Deeds",
  walletId: "w-1",
  networkId: "ethereum",
  file: "https://example.com/deed.png",
  status: "COMPLETED"
}
const handedOver = { nftId: "nft-1", fromWalletId: "w-1", toWalletId: "w-2" }

export const nfts: ReadonlyArray<Operation> = [
  read("nfts.get", "/nfts/:nftId", [row("gives an NFT", { nftId: "nft-1" }, nft)]),
  list("nfts.networks", "/nfts/networks", "the networks of NFTs", ethereum),
  write(
    "nfts.create",
    "POST /nfts/create",
    undefined,
    [
      row(
        "creates an NFT of a file",
        {
          name: "Deed 17",
          networkId: "ethereum",
          walletId: "w-1",
          collection: "Deeds",
          description: "A house",
          file: { name: "deed.png", contentType: "image/png", text: "not really a picture" }
        },
        nft
      )
    ],
    {
      isForm: true,
      refused: [{ name: "a file is required", input: { name: "Deed 17", networkId: "ethereum" }, paths: [["file"]] }]
    }
  ),
  write(
    "nfts.transfer",
    "POST /nfts/:nftId/transfer",
    "nfts.transfers",
    [row("hands an NFT over", handedOver, { id: "t-5", status: "PENDING", ...handedOver })],
    {
      refused: [
        { name: "a wallet's name is not empty", input: { ...handedOver, toWalletId: "" }, paths: [["toWalletId"]] }
      ]
    }
  ),
  list(
    "nfts.transfers",
    "/nfts/:nftId/transfers",
    "an NFT's transfers",
    { id: "t-5", status: "COMPLETED", nftId: "nft-1", hash: "0xabc" },
    { input: { nftId: "nft-1" } }
  )
]
