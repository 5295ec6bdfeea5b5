/** What an update has changed in the rows of a stage. */
export interface StageChanges {
  readonly stage: string;
  /** Where each change is a line, within the output folder. */
  readonly file: string;
  readonly added: number;
  /** Added rows that are older than what was known. */
  readonly late: number;
  readonly changed: number;
  readonly gone: number;
}
