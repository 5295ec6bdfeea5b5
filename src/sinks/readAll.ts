import type { FileSystem } from './FileSystem.ts';

/** The whole of a small file. */
export function readAll(path: string, fileSystem: FileSystem, limit: number = Infinity): Buffer {
  const file = fileSystem.open(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(file.size(), limit));
    let at = 0;
    while (at < bytes.length) {
      const read = file.readSync(bytes, at, bytes.length - at, at);
      if (read === 0) break;
      at += read;
    }
    return bytes.subarray(0, at);
  } finally {
    file.close();
  }
}
