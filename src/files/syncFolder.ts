import { systemCode } from './sinkFailure.ts';

/** What file systems say that can't sync a folder, such as some that lie on another machine. They keep names in order themselves. */
const cantSync = ['EINVAL', 'ENOTSUP', 'ENOSYS'];

/** The machine that a folder is on. */
export interface SyncFolderOptions {
  readonly platform: string;
  readonly open: (folder: string) => number;
  readonly sync: (file: number) => Promise<void>;
  readonly close: (file: number) => void;
}

/** Makes the names in a folder safe from a power cut, where the system can. */
export async function syncFolder(folder: string, { platform, open, sync, close }: SyncFolderOptions): Promise<void> {
  if (platform === 'win32') return; // folders can't be opened there
  const file = open(folder);
  try {
    await sync(file);
  } catch (error) {
    if (!cantSync.includes(systemCode(error) ?? '')) throw error;
  } finally {
    close(file);
  }
}
