import { sha256 } from '../../files/blocks.ts';
import type { OutputPosition } from '../../sinks/index.ts';
import type { Flow } from '../definition/Flow.ts';
import { type OpenFile, sinkFailure } from '../../files/FileSystem.ts';
import type { FlowFolder } from './FlowFolder.ts';
import { RunHistory } from './RunHistory.ts';
import type { Journal, JournalPosition, JournalTail } from './Journal.ts';

/** The damage to a run's folder, and how much of the run remains. */
export interface Damage {
  /** Each as a sentence. */
  readonly faults: readonly string[];
  /** The position after the last record that matches all files. seq 0: nothing can be used. */
  readonly position: JournalPosition;
  /** The pages to request again, of how many, and their requests. */
  readonly pages: number;
  readonly of: number;
  readonly requests: number;
  /** Unreadable lines may hold more pages than these. */
  readonly unread: boolean;
}

interface Bytes {
  readonly there: number;
  /** SHA-256 of the given beginnings of the file. Missing ones are left out. */
  readonly digests: ReadonlyMap<number, string>;
}

/**
 * Compares the files with the last record of the journal. undefined if they match. Otherwise it looks for the last record
 * that matches all files. It changes nothing.
 */
export async function findDamage(
  flow: Flow,
  folder: FlowFolder,
  journal: Journal,
  history: RunHistory,
  tail: JournalTail | undefined,
): Promise<Damage | undefined> {
  const faults: string[] = [];
  if (tail !== undefined && !tail.torn) faults.push(`line ${tail.line} of its journal can't be read`);
  for (const [file, position] of history.positions) {
    const { there, digests } = await bytesOf(folder, file, new Set([position.bytes]));
    const name = history.finished === undefined ? `${file}.part` : file;
    if (there < position.bytes) faults.push(`${name} has ${there} of the ${position.bytes} bytes that were written`);
    else if (!agrees(position, digests)) faults.push(`${name} isn't as it was written: its bytes have changed`);
  }
  return faults.length === 0 ? undefined : { faults, ...(await lastGood(flow, folder, journal, tail)) };
}

async function lastGood(flow: Flow, folder: FlowFolder, journal: Journal, tail: JournalTail | undefined): Promise<Omit<Damage, 'faults'>> {
  const states: {
    readonly position: JournalPosition;
    readonly positions: RunHistory['positions'];
    readonly pages: number;
    readonly requests: number;
  }[] = [];
  const history = new RunHistory(flow, folder.path);
  await journal.replay((record, position) => {
    history.replay(record);
    states.push({ position, positions: history.positions, pages: history.pages, requests: history.requests });
  });
  const known = new Map<string, Bytes>();
  for (const file of history.positions.keys()) {
    known.set(file, await bytesOf(folder, file, new Set(states.map(({ positions }) => positions.get(file)?.bytes ?? 0))));
  }
  const good = states.findLast(({ positions }) =>
    Array.from(positions).every(([file, position]) => agrees(position, known.get(file)?.digests)),
  );
  let [pages, requests] = [history.pages, history.requests];
  for (const record of tail?.readable ?? []) {
    if (record.type !== 'commit') continue;
    pages += record.events.filter(({ type }) => type === 'PageTaken').length;
    requests += record.requests;
  }
  const { position = { seq: 0, end: 0 }, pages: kept = 0, requests: spent = 0 } = good ?? {};
  return { position, pages: pages - kept, of: pages, requests: requests - spent, unread: tail?.torn === false };
}

function agrees({ bytes, sha256 }: OutputPosition, digests: Bytes['digests'] | undefined): boolean {
  return bytes === 0 || (sha256 !== undefined && sha256 === digests?.get(bytes));
}

async function bytesOf(folder: FlowFolder, file: string, lengths: ReadonlySet<number>): Promise<Bytes> {
  const name = [`${file}.part`, file].find((one) => folder.has(one));
  const digests = new Map<number, string>();
  if (name === undefined) return { there: 0, digests };
  let open: OpenFile | undefined;
  try {
    open = folder.fileSystem.open(folder.at(name), 'r');
    const there = open.size();
    const block = Buffer.allocUnsafe(Math.min(there, 1 << 20));
    const hash = sha256();
    let at = 0;
    for (const length of [...lengths].filter((one) => one <= there).toSorted((one, other) => one - other)) {
      while (at < length) {
        const read = await open.read(block, 0, Math.min(block.length, length - at), at);
        if (read === 0) return { there: at, digests };
        hash.update(block.subarray(0, read));
        at += read;
      }
      digests.set(length, hash.copy().digest('hex'));
    }
    return { there, digests };
  } catch (error) {
    throw sinkFailure(folder.at(name), 'reading', error);
  } finally {
    open?.close();
  }
}
