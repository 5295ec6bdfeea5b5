/** A small seeded generator (sfc32): the same seed gives the same numbers on every machine. */
export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d = 1;

  constructor(seed: string) {
    let h = 0x811c9dc5;
    let g = 0x9e3779b9;
    for (let i = 0; i < seed.length; i++) {
      const code = seed.charCodeAt(i);
      h = Math.imul(h ^ code, 0x01000193);
      g = Math.imul(g ^ code, 0x85ebca6b) + (g >>> 13);
    }
    this.a = h | 0;
    this.b = g | 0;
    this.c = Math.imul(h ^ (g >>> 15), 0xc2b2ae35) | 0;
    for (let i = 0; i < 6; i++) this.word();
  }

  /** A number of 32 bits. */
  word(): number {
    const t = (((this.a + this.b) | 0) + this.d) | 0;
    this.d = (this.d + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + t) | 0;
    return t >>> 0;
  }

  /** A number from 0 up to, but not including, 1. */
  next(): number {
    return this.word() / 4294967296;
  }

  /** A whole number, both ends included. */
  int(low: number, high: number): number {
    return low + Math.floor(this.next() * (high - low + 1));
  }

  chance(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.int(0, list.length - 1)] as T;
  }

  /** Picks from `low` to `high` different entries of a list, in the list's order. */
  some<T>(list: readonly T[], low: number, high: number): T[] {
    let wanted = Math.min(this.int(low, high), list.length);
    return list.filter((_, index) => {
      const taken = this.next() * (list.length - index) < wanted;
      if (taken) wanted--;
      return taken;
    });
  }

  /** `length` characters of an alphabet of at most 64. */
  text(alphabet: string, length: number): string {
    let text = '';
    // one word is enough for four characters
    for (let word = 0; text.length < length; word >>>= 8) {
      if (text.length % 4 === 0) word = this.word();
      text += alphabet[(word & 0xff) % alphabet.length];
    }
    return text;
  }

  hex(length: number): string {
    return this.text('0123456789abcdef', length);
  }

  /** A whole number with this many digits, as text. */
  digits(length: number): string {
    return this.text('123456789', 1) + this.text('0123456789', length - 1);
  }

  /** `length` characters such as identifiers have. */
  key(length: number): string {
    return this.text('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-', length);
  }
}
