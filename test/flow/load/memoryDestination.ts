import { NetworkError } from '../../../src/errors/index.ts';
import type { LoadPosition, RowDestination } from '../../../src/sinks/index.ts';

export interface MemoryDestination extends RowDestination {
  /** The rows of each table, as lines. */
  readonly tables: ReadonlyMap<string, readonly string[]>;
  /** Nothing comes of a call until `letGo`. */
  hold(): void;
  letGo(): void;
  /** What becomes of the next commits: nothing, or they succeed and nobody hears of it. Then they succeed. */
  readonly fates: ('failed' | 'lost')[];
  /** Called before each thing that it does. */
  before: (what: 'load' | 'commit') => void;
  /** Rows that it can't hold. */
  rejects: (line: string) => boolean;
}

interface MemoryDestinationOptions {
  /** Rows that it can't hold, until it is told others. */
  readonly rejects?: (line: string) => boolean;
}

/** A database in memory, which outlives the runs that load into it. */
export function memoryDestination({ rejects = () => false }: MemoryDestinationOptions = {}): MemoryDestination {
  const tables = new Map<string, string[]>();
  const positions = new Map<string, LoadPosition>();
  let gate = Promise.resolve();
  let letGo = (): void => undefined;
  const destination: MemoryDestination = {
    tables,
    fates: [],
    before: () => undefined,
    rejects,
    hold() {
      gate = new Promise((resolve) => (letGo = resolve));
    },
    letGo: () => letGo(),
    open({ name, run }) {
      const key = `${name} ${run}`;
      let loaded: string[] = [];
      return Promise.resolve({
        recover: () => Promise.resolve(positions.get(key)),
        async load(lines) {
          destination.before('load');
          await gate;
          const rejected = lines.flatMap((line, nth) => (destination.rejects(line) ? [{ line: nth, reason: 'odd' }] : []));
          loaded = lines.filter((line) => !destination.rejects(line));
          return { rejected };
        },
        async commit(to) {
          destination.before('commit');
          await gate;
          const fate = destination.fates.shift();
          if (fate === 'failed') throw new NetworkError('memory: away');
          tables.set(name, [...(tables.get(name) ?? []), ...loaded]);
          positions.set(key, { bytes: to.bytes, digest: to.digest });
          if (fate === 'lost') throw new NetworkError('memory: the answer was lost');
        },
        close: () => Promise.resolve(),
      });
    },
  };
  return destination;
}
