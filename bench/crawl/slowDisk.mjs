// A disk that takes so many bytes a second, whoever writes.
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { nodeFileSystem } from 'trawler/sinks';

/** Gives the time to wait until a disk of this speed has taken so many bytes more. */
function diskOf(mbPerSecond) {
  let free = 0;
  return (bytes) => {
    const now = performance.now();
    free = Math.max(free, now) + bytes / (mbPerSecond * 1000);
    return free - now;
  };
}

/** The machine's file system, slowed down; for trawler's sinks. */
export function slowFileSystem(mbPerSecond) {
  const waitFor = diskOf(mbPerSecond);
  return {
    ...nodeFileSystem,
    open(...args) {
      const file = nodeFileSystem.open(...args);
      return {
        ...file,
        async write(bytes, offset, length, position) {
          await sleep(waitFor(length));
          return file.write(bytes, offset, length, position);
        },
        writeSync(bytes, offset, length, position) {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitFor(length));
          return file.writeSync(bytes, offset, length, position);
        },
      };
    },
  };
}

/** An open file, slowed down; for the loop by hand. */
export function slowFile(file, mbPerSecond) {
  const waitFor = diskOf(mbPerSecond);
  return {
    async write(bytes, offset, length, position) {
      await sleep(waitFor(length));
      return file.write(bytes, offset, length, position);
    },
    close: () => file.close(),
  };
}

/** The same as a stream. */
export function slowStream(file, mbPerSecond) {
  const waitFor = diskOf(mbPerSecond);
  return new Writable({
    write(chunk, encoding, done) {
      setTimeout(() => file.write(chunk, encoding, done), waitFor(chunk.length));
    },
    final: (done) => file.end(done),
  });
}
