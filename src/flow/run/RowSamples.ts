import { wholeRow } from '../../../operators/LazyRow.ts';
import type { FlowProgress } from './FlowProgress.ts';

const maxRows = 10;

/** Emits the first rows of each file. */
export class RowSamples {
  readonly #told = new Map<string, number>();
  readonly #tell: (event: FlowProgress) => void;

  constructor(tell: (event: FlowProgress) => void) {
    this.#tell = tell;
  }

  add(files: readonly string[], rows: readonly object[]): void {
    for (const file of files) {
      const told = this.#told.get(file) ?? 0;
      if (told >= maxRows) continue;
      for (const row of rows.slice(0, maxRows - told)) {
        this.#tell({ type: 'sample', file, row: wholeRow(row) });
      }
      this.#told.set(file, told + Math.min(rows.length, maxRows - told));
    }
  }
}
