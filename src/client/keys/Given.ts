/** What the user gives to say who sends requests. Only the transport and its credential have it. */
export interface Given {
  /** '' for none. */
  readonly key: string;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Where tokens are requested. */
  readonly tokenUrl?: URL | undefined;
}
