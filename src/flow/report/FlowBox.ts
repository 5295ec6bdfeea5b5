/** A box of the drawing: a stage with its figures, or a seed file. */
export interface FlowBox {
  readonly name: string;
  /** The operation. undefined for a seed file. */
  readonly call?: string | undefined;
  /** The boxes whose rows it runs over. A name without a box is drawn as a seed file. */
  readonly each: readonly string[];
  /** The lines of text inside it. */
  readonly lines: readonly string[];
  readonly mood?: 'good' | 'warn' | 'bad' | undefined;
}
