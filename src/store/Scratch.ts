const maxBytes = 2 ** 20;

/** Memory for buffers that are made one after the other. Each is valid until the next one is made. */
export class Scratch {
  #bytes: Buffer = Buffer.alloc(0);

  /** This many bytes, with any content. */
  take(size: number): Buffer {
    if (size > maxBytes) return Buffer.allocUnsafe(size);
    if (size > this.#bytes.length) this.#bytes = Buffer.allocUnsafeSlow(Math.ceil(size * 1.5));
    return this.#bytes.subarray(0, size);
  }
}
