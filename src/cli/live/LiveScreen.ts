import type { Output } from '../Command.ts';
import { textWidth } from '../text/textWidth.ts';

const begin = '\u001b[?2026h'; // terminals that know this code show nothing until `end`, others ignore it
const end = '\u001b[?2026l';
const hideCursor = '\u001b[?25l';
const showCursor = '\u001b[?25h';
const clearLine = '\u001b[K';
const clearBelow = '\u001b[J';

/**
 * A few lines at the bottom of a terminal, redrawn in place. Each frame is one write without clearing first, so nothing
 * flickers. Text written `above` them scrolls away as usual.
 */
export class LiveScreen {
  readonly #output: Output;
  #lines: readonly string[] = [];
  #columns: number;
  readonly #restore = (): void => {
    this.#output.write(showCursor);
  };

  constructor(output: Output) {
    this.#output = output;
    this.#columns = output.columns || 80; // a terminal of no size, as some containers have
    process.once('exit', this.#restore); // whatever ends the process
    output.write(hideCursor);
  }

  draw(lines: readonly string[]): void {
    this.#write([], lines);
  }

  above(text: string): void {
    this.#write(text.split('\n'), this.#lines);
  }

  /** Leaves the last frame on the screen. */
  close(): void {
    process.off('exit', this.#restore);
    this.#restore();
  }

  #write(above: readonly string[], lines: readonly string[]): void {
    const columns = this.#output.columns || 80;
    const resized = columns !== this.#columns; // some terminals remember which lines they wrapped until those are cleared
    const text = [...above, ...lines].map((line) => `${line}${clearLine}\n`).join('');
    this.#output.write(`${begin}${this.#home(columns)}${resized ? clearBelow : ''}${text}${clearBelow}${end}`);
    this.#lines = lines;
    this.#columns = columns;
  }

  /** Moves to the first line. If the window has become narrower, some lines are wrapped. */
  #home(columns: number): string {
    const up = this.#lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(textWidth(line) / columns)), 0);
    return up === 0 ? '\r' : `\u001b[${up}A\r`;
  }
}
