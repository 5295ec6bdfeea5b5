/** How the API key goes along with a request. */
export type KeySpec = HeaderKey | ParamKey | BasicKey;

export interface HeaderKey {
  readonly header: string;
  /** The header's value. One that is asynchronous is made once, and once more after a 401. @default the key itself */
  readonly value?: ((key: string) => string | Promise<string>) | undefined;
}

/** The key is a parameter in the address, also in that of a next page. No address that trawler keeps or shows has it. */
export interface ParamKey {
  readonly param: string;
}

/** HTTP Basic. The key is `user:password`, or the user alone. */
export interface BasicKey {
  readonly basic: true;
}
