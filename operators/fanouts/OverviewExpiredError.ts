/** The address of an AI overview was too old, twice: when it was handed out and after its search was asked once more. */
export class OverviewExpiredError extends Error {
  override readonly name: string = 'OverviewExpiredError';
  readonly operation: string = 'aiOverview';
  /** The search that leads to the overview; running it again gives a new address. */
  readonly query: object;

  constructor(query: object, cause: unknown) {
    super(
      'aiOverview: the address of this overview is no longer valid, and asking its search once more did not help; run the search again later',
      { cause },
    );
    this.query = query;
  }
}
