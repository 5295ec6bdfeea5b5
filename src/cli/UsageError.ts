interface UsageErrorOptions {
  /** What to do now. */
  readonly hint?: string | undefined;
  /** An unknown name and the known ones. The hint becomes the nearest one, worded by `say`. */
  readonly unknown?: { readonly given: string; readonly known: readonly string[]; readonly say: (nearest: string) => string } | undefined;
}

/** The command line is wrong. No request was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly #options: UsageErrorOptions;

  constructor(message: string, options: UsageErrorOptions = {}) {
    super(message);
    this.#options = options;
  }

  /** What to do now. */
  async hint(): Promise<string | undefined> {
    const { hint, unknown } = this.#options;
    if (unknown === undefined) return hint;
    const { nearestName } = await import('../contract/index.ts'); // loads a lot that a right command may not need
    const nearest = nearestName(unknown.given, unknown.known);
    return nearest === undefined ? hint : `Did you mean ${unknown.say(nearest)}?`;
  }
}
