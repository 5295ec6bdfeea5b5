const open = new Map<symbol, string>();

/**
 * Prints a message if the process ends before the file at `path` is finished, and turns exit code 0 into 1. Otherwise a
 * script whose stream never ended would look successful. Returns a cancel function.
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
  const { writeSync } = process.getBuiltinModule('node:fs');
  try {
    for (const path of open.values())
      writeSync(2, `trawler: the process ended before the stream to ${path} did, so that file is not written\n`);
  } catch {
    // nobody can be told
  }
}
