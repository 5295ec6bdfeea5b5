import { systemCode } from './sinkFailure.ts';

/** What a rename fails with while another program has one of the files open: a virus scanner, an indexer, a spreadsheet. */
const busy = ['EBUSY', 'EPERM', 'EACCES'];
const pausesMs = [10, 20, 40, 80, 160, 320];

/** The machine that a file is renamed on. */
export interface RenameOptions {
  readonly platform: string;
  readonly rename: (from: string, to: string) => void;
  /** @default waits */
  readonly pause?: (ms: number) => void;
}

/** Renames a file. On Windows it may be open elsewhere for a moment, so it is tried again for about half a second. */
export function renamePatiently(from: string, to: string, { platform, rename, pause = waitMs }: RenameOptions): void {
  for (const pauseMs of platform === 'win32' ? pausesMs : []) {
    try {
      return rename(from, to);
    } catch (error) {
      if (!busy.includes(systemCode(error) ?? '')) throw error;
      pause(pauseMs);
    }
  }
  rename(from, to);
}

/** A rename is one step, so nothing else may happen while it waits. */
function waitMs(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
