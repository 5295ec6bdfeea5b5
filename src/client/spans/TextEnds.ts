/** Finds where texts end in a body, with native searches for quotes and backslashes. */
export class TextEnds {
  #source = '';
  /** The first backslash at or after the last text. */
  #escape = 0;

  /** `source` has one character for each byte of the body. */
  begin(source: string, from: number): void {
    this.#source = source;
    this.#findEscape(from);
  }

  /** The offset after the text that begins at `at`. -1: there is none, or JSON.stringify would write it differently. */
  after(at: number): number {
    const source = this.#source;
    let end = source.indexOf('"', at + 1);
    while (this.#escape < end) {
      // There is an escape before this quote. It may escape the quote itself.
      if (this.#escape < at) this.#findEscape(at);
      else {
        const behind = this.#escape + 2;
        if (!'"\\bfnrt'.includes(source[behind - 1]!)) return -1;
        this.#findEscape(behind);
        if (end < behind) end = source.indexOf('"', behind);
      }
    }
    return end === -1 ? -1 : end + 1;
  }

  #findEscape(from: number): void {
    const found = this.#source.indexOf('\\', from);
    this.#escape = found === -1 ? Infinity : found;
  }
}
