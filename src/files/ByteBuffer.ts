const lineFeed = 10;

/** A growing byte buffer whose memory is reused. */
export class ByteBuffer {
  length = 0;
  #bytes: Buffer;

  constructor(capacity: number) {
    this.#bytes = Buffer.allocUnsafe(capacity);
  }

  /** Its content, valid until the next write. */
  get content(): Buffer {
    return this.#bytes.subarray(0, this.length);
  }

  get capacity(): number {
    return this.#bytes.length;
  }

  addText(text: string): void {
    this.#reserve(text.length * 3); // the most that UTF-8 needs
    this.length += this.#bytes.write(text, this.length, 'utf8');
  }

  addBytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  addLine(bytes: Uint8Array): void {
    this.#reserve(bytes.length + 1);
    this.#bytes.set(bytes, this.length);
    this.length += bytes.length + 1;
    this.#bytes[this.length - 1] = lineFeed;
  }

  /** Returns memory with room for that many more bytes after `length`. Write them there, then set `length`. */
  room(more: number): Buffer {
    this.#reserve(more);
    return this.#bytes;
  }

  /** Whether these bytes occur after `start`. */
  includes(bytes: Uint8Array, start: number): boolean {
    return this.#bytes.subarray(start, this.length).includes(bytes as Buffer);
  }

  clear(): void {
    this.length = 0;
  }

  #reserve(more: number): void {
    const needed = this.length + more;
    if (needed <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(needed, this.#bytes.length * 2));
    larger.set(this.content);
    this.#bytes = larger;
  }
}
