/** When requests no longer pay. */
interface SaturationOptions {
  /** The smallest share of new rows that pays, such as 0.02. */
  readonly newRows: number;
  /** … over this many of the latest requests. */
  readonly over: number;
}

/** Watches how many rows of the latest requests are new. Once too few were, it stays saturated. */
export class Saturation {
  private readonly options: SaturationOptions;
  /** Of the latest requests, in a ring. */
  private readonly rows: Float64Array;
  private readonly added: Float64Array;
  private requests = 0;
  private sums = { rows: 0, added: 0 };
  private reached = false;

  constructor(options: SaturationOptions) {
    this.options = options;
    this.rows = new Float64Array(options.over);
    this.added = new Float64Array(options.over);
  }

  get is(): boolean {
    return this.reached;
  }

  /** Takes the rows of a request, and how many of them are new. Requests without rows count. Returns whether it is saturated. */
  add(rows: number, added: number): boolean {
    const { newRows, over } = this.options;
    const at = this.requests % over;
    this.sums = { rows: this.sums.rows + rows - this.rows[at]!, added: this.sums.added + added - this.added[at]! };
    this.rows[at] = rows;
    this.added[at] = added;
    this.requests += 1;
    if (this.requests >= over && (this.sums.rows === 0 || this.sums.added < newRows * this.sums.rows)) this.reached = true;
    return this.reached;
  }
}
