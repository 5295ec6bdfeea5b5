import { parentPort, workerData } from 'node:worker_threads';
import type { WantedRows } from './findRows.ts';
import { scanPart, type LinesPart, type PartRows } from './scanPart.ts';
import { DamagedLine } from './TableSpec.ts';

/** What a thread that scans a part of a file is given. */
export interface ThreadWork {
  readonly part: LinesPart;
  readonly wanted: WantedRows;
}

/** What it tells: what it found, or else a line that can't be read. */
export type ThreadNews = PartRows | { readonly damaged: Pick<DamagedLine, 'n' | 'fault'> };

const { part, wanted } = workerData as ThreadWork;
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- it isn't a window
const tell = (news: ThreadNews): void => parentPort!.postMessage(news);
try {
  for await (const found of scanPart(part, wanted)) tell(found);
} catch (error) {
  if (!(error instanceof DamagedLine)) throw error;
  tell({ damaged: { n: error.n, fault: error.fault } });
}
