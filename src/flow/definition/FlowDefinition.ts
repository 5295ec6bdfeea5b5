/** A flow as plain data: what a `.json` file holds, and what `defineFlow` takes. */
export interface FlowDefinition {
  /** For editors; has no meaning here. */
  readonly $schema?: string | undefined;
  readonly name: string;
  readonly stages: { readonly [stage: string]: StageDefinition };
  /** Requests of one run, retries included; the run stops before it would ask for more, and can go on. @default Infinity */
  readonly maxRequests?: number | undefined;
  /** Stops a run when more than this share of at least 20 ended units have failed; 1 never does. @default 0.5 */
  readonly failAbove?: number | undefined;
}

/** One stage: an operation, called once for each row of what `each` names. */
export interface StageDefinition {
  /** An operation, or a ready fan-out such as `placeReviews`. */
  readonly call: string;
  /**
   * Where the rows come from that the stage runs over: other stages, or one seed file (`.csv`, `.tsv`, `.jsonl`), or
   * `-` for standard input. @default nothing: the stage runs once
   */
  readonly each?: string | readonly string[] | undefined;
  /**
   * The query. A list runs over its values, several lists over their product. `$.field` is the value of that field in
   * the row that the stage runs over, `$.list[].field` runs over a list in it; `${$.field}` and `${env.NAME}` stand
   * inside other text.
   */
  readonly with?: { readonly [param: string]: ParamInput | readonly ParamInput[] } | undefined;
  /** Pages of one query, at most. @default 1 */
  readonly pages?: number | 'all' | undefined;
  /** Rows of one query, at most. @default Infinity */
  readonly limit?: number | undefined;
  /** Another list of the answer, as a dotted path. @default the operation's own */
  readonly rows?: string | undefined;
  /** Columns copied from the row that the stage runs over: a column's name to a `$.field`, or to a constant. */
  readonly keep?: { readonly [column: string]: ParamInput } | undefined;
  /** Only rows of which all of this is true; the others are neither written nor run over. */
  readonly where?: { readonly [field: string]: Condition } | undefined;
  /** Only these fields are written. @default all */
  readonly pick?: readonly string[] | undefined;
  /** The fields that make a row the same as another of this stage; of those that are the same, the first stays. */
  readonly by?: string | readonly string[] | undefined;
  /** Files in the output folder: `.jsonl` or `.csv`. @default none: the rows are only run over */
  readonly to?: string | readonly string[] | undefined;
  /** A unit that fails is put `aside`, on record, or it is a reason to `stop`. @default 'aside' */
  readonly onError?: 'aside' | 'stop' | undefined;
  /** Where in the answer the token of the next page is, as a dotted path. @default where the operation says */
  readonly cursor?: string | undefined;
}

export type ParamInput = string | number | boolean;

/** A value or one of several; or comparisons that must all be true. */
export type Condition =
  | ParamInput
  | null
  | readonly (ParamInput | null)[]
  | {
      readonly '='?: ParamInput | null | undefined;
      readonly '!='?: ParamInput | null | undefined;
      readonly '>'?: number | string | undefined;
      readonly '>='?: number | string | undefined;
      readonly '<'?: number | string | undefined;
      readonly '<='?: number | string | undefined;
      /** Whether the field is there and neither null nor an empty text. */
      readonly exists?: boolean | undefined;
    };
