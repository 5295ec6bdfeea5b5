import type { Output } from '../Io.ts';
import { textWidth } from '../text/textWidth.ts';

const begin = '\u001b[?2026h'; // a terminal that knows it shows nothing until `end`, others ignore it
const end = '\u001b[?2026l';
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

/**
 * A few lines at the bottom of a terminal that are drawn over again in place, each frame in one write and without being
 * cleared first, so that nothing flickers. What is said `above` them scrolls away as usual.
 */
export class LiveScreen {
  readonly #output: Output;
  #lines: readonly string[] = [];
  readonly #restore = (): void => {
    this.#output.write(showCursor);
  };

  constructor(output: Output) {
    this.#output = output;
    process.once('exit', this.#restore); // whatever ends the process
    output.write(hideCursor);
  }

  draw(lines: readonly string[]): void {
    this.#output.write(`${begin}${this.#home()}${lines.map((line) => `${line}${clearLine}\n`).join('')}${clearBelow}${end}`);
    this.#lines = lines;
  }

  above(text: string): void {
    const lines = this.#lines;
    this.#output.write(`${begin}${this.#home()}${clearBelow}${text}\n${lines.map((line) => `${line}\n`).join('')}${end}`);
  }

  /** The lines stay as they were drawn last. */
  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
  }

  /** To the first of the lines; a window that became narrower has broken some of them in two. */
  #home(): string {
    const columns = this.#output.columns ?? 80;
    const up = this.#lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    return up === 0 ? '\r' : `\u001b[${up}A\r`;
  }
}
