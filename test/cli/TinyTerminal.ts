import { Kept } from './runInProcess.ts';

/** Enough of a terminal to see what a program's escape sequences leave on the screen. Throws for one it doesn't know. */
export class TinyTerminal extends Kept {
  override columns: number;
  readonly frames: string[] = [];
  cursorHidden = false;
  #lines: string[] = [''];
  #row = 0;
  #column = 0;

  constructor(columns: number, rows = 24) {
    super({ columns, rows });
    this.columns = columns;
  }

  /** What is to be seen, without trailing spaces. */
  get screen(): readonly string[] {
    const lines = this.#lines.map((line) => line.trimEnd());
    while (lines.at(-1) === '') lines.pop();
    return lines;
  }

  override write(text: string): boolean {
    super.write(text);
    this.frames.push(text);
    // oxlint-disable-next-line no-control-regex -- what a terminal is commanded with
    for (const [, sequence, n, command, char] of text.matchAll(/(\u001b\[\??(\d*)([A-Za-z]))|([^])/gu)) {
      if (sequence !== undefined) this.#command(sequence, Number(n), command as string);
      else this.#put(char as string);
    }
    return true;
  }

  #command(sequence: string, n: number, command: string): void {
    if (command === 'A') this.#row = Math.max(0, this.#row - n);
    else if (command === 'K') this.#set(this.#line().slice(0, this.#column));
    else if (command === 'J') {
      this.#set(this.#line().slice(0, this.#column));
      this.#lines.length = this.#row + 1;
    } else if (sequence === '\u001b[?25l') this.cursorHidden = true;
    else if (sequence === '\u001b[?25h') this.cursorHidden = false;
    else if (command !== 'm' && !sequence.startsWith('\u001b[?2026')) throw new Error(`unknown: ${JSON.stringify(sequence)}`);
  }

  #put(char: string): void {
    if (char === '\r') this.#column = 0;
    else if (char === '\n' || this.#column >= this.columns) {
      this.#row += 1;
      this.#column = 0;
      this.#lines[this.#row] ??= '';
    }
    if (char < ' ') return;
    this.#set(this.#line().slice(0, this.#column).padEnd(this.#column) + char + this.#line().slice(this.#column + 1));
    this.#column += 1;
  }

  #line(): string {
    return this.#lines[this.#row] ?? '';
  }

  #set(line: string): void {
    this.#lines[this.#row] = line;
  }
}
