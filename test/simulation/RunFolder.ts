import type { MemoryDisk } from '../../src/testing/index.ts';
import type { World } from './World.ts';
import { stageName } from './worldFlow.ts';
import type { WorldRow } from './WorldTruth.ts';

/** Where all worlds have their files. */
export const outDir = '/sim/out';

/** The folder of a world's runs, as it is on the disk. */
export class RunFolder {
  readonly #disk: () => MemoryDisk;
  readonly #names: readonly string[];

  constructor({ stages }: World, disk: () => MemoryDisk) {
    this.#disk = disk;
    this.#names = stages.flatMap((_, number) => [`${stageName(number)}.jsonl`, `${stageName(number)}.csv`]);
  }

  read(file: string): string | undefined {
    return this.#disk().read(`${outDir}/${file}`)?.toString();
  }

  /** The finished files of stages. */
  finished(): ReadonlyMap<string, string> {
    return new Map(
      this.#names.flatMap((name) => {
        const text = this.read(name);
        return text === undefined ? [] : [[name, text]];
      }),
    );
  }

  /** An update isn't finished. */
  get hasUpdate(): boolean {
    return this.read('.trawler/update/.trawler/journal.jsonl') !== undefined;
  }

  rowsOf(stage: number): readonly WorldRow[] {
    return linesOf(this.read(`${stageName(stage)}.jsonl`)) as readonly WorldRow[];
  }

  /** The queries that failed or are short: stage and key. */
  failures(): ReadonlySet<string> {
    const lines = linesOf(this.read('failures.jsonl')) as readonly { readonly stage: string; readonly query: { readonly key: string } }[];
    return new Set(lines.map(({ stage, query }) => `${stage} ${query.key}`));
  }
}

function linesOf(text = ''): readonly unknown[] {
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown);
}
