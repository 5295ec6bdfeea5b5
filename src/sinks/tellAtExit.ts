import { writeSync } from 'node:fs';

const open = new Map<symbol, string>();

/**
 * Says so when the process ends while the file at `path` isn't finished, and makes a good exit code 1: without this, a
 * script whose stream never ended looks as if all went well. Returns a cancel function.
 */
export function tellAtExit(path: string): () => void {
  const key = Symbol(path);
  if (open.size === 0) process.once('exit', tell);
  open.set(key, path);
  return () => {
    if (open.delete(key) && open.size === 0) process.off('exit', tell);
  };
}

function tell(code: number): void {
  if (code === 0) process.exitCode = 1;
  try {
    for (const path of open.values())
      writeSync(2, `trawler: the process ended before the stream to ${path} did, so that file is not written\n`);
  } catch {
    // nobody can be told
  }
}
