/** What has happened in a stage so far. */
export class StageCounts {
  done = 0;
  waiting = 0;
  failed = 0;
  capped = 0;
  /**
   * Queries that ended with fewer rows than the service claims. `nearly`: those that miss so few that the claim may be
   * wrong.
   */
  short = 0;
  nearly = 0;
  /** Rows of the ended queries that have a claim, and the claimed number. */
  got = 0;
  claimed = 0;
  /** Queries that ended with an unexpected number of rows. */
  unexpected = 0;
  /** Queries that ended without a row. */
  empty = 0;
  /** Queries that an update skipped, because nothing has changed. */
  unchanged = 0;
  pages = 0;
  rows = 0;
  /** Rows skipped because of their shape. */
  skipped = 0;
  /** Pages that seem to lack rows, although no figure tells how many. */
  suspect = 0;
  /** Rows left out because they lie outside the area. */
  outside = 0;
  /** Rows that an update found late: older than the watermark, and not there before. */
  late = 0;
  /** The number of rows in which a field is filled, for expected fields. */
  readonly filled: Map<string, number> = new Map();
}
