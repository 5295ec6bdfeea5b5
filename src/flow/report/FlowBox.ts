/** A box of the drawing: a stage with its figures, or a file of seeds. */
export interface FlowBox {
  readonly name: string;
  /** The operation; left out for a file of seeds. */
  readonly call?: string | undefined;
  /** The boxes whose rows it runs over; a name that no box has is drawn as a file of seeds. */
  readonly each: readonly string[];
  /** What to say inside, a line each. */
  readonly lines: readonly string[];
  readonly mood?: 'good' | 'warn' | 'bad' | undefined;
}
