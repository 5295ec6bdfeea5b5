import { sha256 } from '../files/blocks.ts';
import type { Writable } from 'node:stream';
import { SinkError } from '../errors/index.ts';
import { sinkFailure } from '../files/FileSystem.ts';
import type { Destination } from './RowOutput.ts';

/** A Writable as a destination: it gets rows no faster than it takes them. It is ended after the last row, unless it is stdout or stderr. */
export function streamDestination(stream: Writable): Destination {
  if (stream.destroyed || stream.writableEnded) throw new SinkError('the stream is closed already');
  const isOwn = (stream as unknown) === process.stdout || (stream as unknown) === process.stderr;
  const part = 'the stream';
  let failure: Error | undefined;
  let tell: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => (tell = resolve));
  /** Rejects the call that waits for the stream, which may never say more. */
  let giveUp: (error: Error) => void = () => undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    tell(failure);
    giveUp(failure);
  };
  const closed = (): void => fail(new Error('it was closed'));
  stream.on('error', fail);
  stream.on('close', closed);
  const wait = (start: (done: (error?: Error | null) => void) => void): Promise<void> =>
    new Promise((resolve, reject) => {
      giveUp = reject;
      if (failure === undefined) start((error) => (error ? fail(error) : resolve()));
      else reject(failure);
    });
  return {
    part,
    start: { bytes: 0, rows: 0 },
    hash: sha256(),
    chunkBytes: 64 * 1024,
    lost,
    file: {
      // a copy, because the stream keeps the buffer it gets
      async write(bytes, offset, length) {
        await wait((done) => stream.write(Buffer.from(bytes.subarray(offset, offset + length)), done));
        return length;
      },
      writeSync(bytes, offset, length) {
        stream.write(Buffer.from(bytes.subarray(offset, offset + length)));
        return length;
      },
      datasync: () => Promise.resolve(),
      truncate: () => undefined,
      close() {
        stream.off('close', closed);
        // an ended stream may still fail, and without a listener that would end the process
        if (isOwn) stream.off('error', fail);
      },
    },
    head: () => Buffer.alloc(0),
    keep: () => Promise.resolve(),
    async publish() {
      try {
        // bytes may still wait in the process; the last write reports a reader that has gone
        await wait((done) => (isOwn ? stream.write('', done) : stream.end(done)));
      } catch (error) {
        throw sinkFailure(part, 'writing', error);
      }
    },
    stop() {
      if (!isOwn) stream.destroy(); // a reader must not think it is complete
    },
    leave: () => false,
    release: () => undefined,
  };
}
