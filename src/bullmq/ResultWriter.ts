import { encodeResult, type Result } from './Result.ts';

/** Results that are added together: names and values in turn. */
interface Batch {
  readonly fields: (string | Buffer)[];
  size: number;
  readonly added: Promise<unknown>;
}

const maxBatchBytes = 1024 * 1024;

/** Adds results to a queue. Those that come in one turn are one entry. */
export class ResultWriter {
  readonly #add: (fields: readonly (string | Buffer)[]) => Promise<unknown>;
  readonly #clean: (text: string) => string;
  #open: Batch | undefined;

  /** `clean` is applied to all text but the rows. */
  constructor(add: (fields: readonly (string | Buffer)[]) => Promise<unknown>, clean: (text: string) => string) {
    this.#add = add;
    this.#clean = clean;
  }

  /** `of`: the page, or the job for all of its pages. Resolves when the queue has the result. */
  add(of: string, result: Result): Promise<unknown> {
    const batch = (this.#open ??= this.#newBatch());
    let name = of;
    for (const part of encodeResult(result, this.#clean)) {
      batch.fields.push(name, part);
      batch.size += part.length;
      name = '';
    }
    if (batch.size > maxBatchBytes) this.#open = undefined;
    return batch.added;
  }

  #newBatch(): Batch {
    const fields: (string | Buffer)[] = [];
    const added = new Promise((resolve) => setImmediate(resolve)).then(() => {
      if (this.#open?.fields === fields) this.#open = undefined;
      return this.#add(fields);
    });
    return { fields, size: 0, added };
  }
}
