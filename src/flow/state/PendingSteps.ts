import { ByteBuffer } from '../../files/ByteBuffer.ts';
import type { JournalStep } from './JournalRecord.ts';

const [comma, firstBytes] = [44, 128 * 1024];

/** The steps of the next commit, already as the journal's text. As objects that wait they would fill the heap of a long run. */
export class PendingSteps {
  count = 0;
  pages = 0;
  rows = 0;
  readonly #text = new ByteBuffer(firstBytes);

  /** The elements of a JSON list. */
  get text(): Buffer {
    return this.#text.content;
  }

  add(step: JournalStep, rows: number): void {
    if (this.count++ > 0) this.#text.addByte(comma);
    this.#text.addText(JSON.stringify(step));
    if (step.kind === 'page') this.pages += 1;
    this.rows += rows;
  }
}
