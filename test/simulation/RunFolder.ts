import type { MemoryDisk } from '../disk/MemoryDisk.ts';
import type { World } from './World.ts';
import { stageName } from './worldFlow.ts';
import type { WorldRow } from './WorldTruth.ts';

/** Where all worlds have their files. */
export const outDir = '/sim/out';

interface Content {
  readonly bytes: Buffer;
  readonly text: string;
  lines: readonly unknown[] | undefined;
}

/** The folder of a world's runs, as it is on the disk. */
export class RunFolder {
  readonly #disk: () => MemoryDisk;
  readonly #names: readonly string[];
  /** What each file held when it was read last: the rules read most of them several times in between two changes. */
  readonly #known = new Map<string, Content>();

  constructor({ stages }: World, disk: () => MemoryDisk) {
    this.#disk = disk;
    this.#names = stages.flatMap((_, number) => [`${stageName(number)}.jsonl`, `${stageName(number)}.csv`]);
  }

  read(file: string): string | undefined {
    return this.#look(file)?.text;
  }

  #look(file: string): Content | undefined {
    const bytes = this.#disk().read(`${outDir}/${file}`);
    if (bytes === undefined) return undefined;
    let content = this.#known.get(file);
    if (content?.bytes.equals(bytes) !== true) this.#known.set(file, (content = { bytes, text: bytes.toString(), lines: undefined }));
    return content;
  }

  /** The finished files of stages, the failures, and what updates have changed. */
  finished(): ReadonlyMap<string, string> {
    const files = [...this.#names, 'failures.jsonl', ...this.paths().filter((path) => path.startsWith('changes/'))];
    return new Map(
      files.flatMap((name) => {
        const text = this.read(name);
        return text === undefined ? [] : [[name, text]];
      }),
    );
  }

  /** All files in it. */
  paths(): readonly string[] {
    return this.#disk().paths.flatMap((path) => (path.startsWith(`${outDir}/`) ? [path.slice(outDir.length + 1)] : []));
  }

  /** An update isn't finished. */
  get hasUpdate(): boolean {
    return this.read('.trawler/update/.trawler/journal.jsonl') !== undefined;
  }

  rowsOf(stage: number): readonly WorldRow[] {
    return this.linesOf(`${stageName(stage)}.jsonl`) as readonly WorldRow[];
  }

  /** What the lines of a file hold. */
  linesOf(file: string): readonly unknown[] {
    const content = this.#look(file);
    if (content === undefined) return [];
    return (content.lines ??= content.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown));
  }

  /** The queries that failed or are short: stage and key. */
  failures(): ReadonlySet<string> {
    const lines = this.linesOf('failures.jsonl') as readonly { readonly stage: string; readonly query: { readonly key: string } }[];
    return new Set(lines.map(({ stage, query }) => `${stage} ${query.key}`));
  }
}
