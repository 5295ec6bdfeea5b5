import type { Writable } from 'node:stream';
import type { OperatorFunction, Observable, Subscription } from 'rxjs';
import { countOf } from '../../operators/kit/countOf.ts';
import { OptionSet, type OptionKinds } from '../../operators/options/OptionSet.ts';
import { SinkError, TrawlerError, type ErrorDetails } from '../errors/index.ts';
import { messageOf } from '../errors/TrawlerError.ts';
import { checkOutputOptions, fileOptions, pageFault, type SinkOf } from './checkOutputOptions.ts';
import { fileKindOf } from './formats/fileFormats.ts';
import type { FileReport, RowEncoder, Leftover, OutputFile } from './OutputFile.ts';
import { openOutput } from './openOutput.ts';
import type { OutputOptions } from './OutputOptions.ts';
import { RowOutput, type OutputTarget } from './RowOutput.ts';
import { defineOperator, type OperatorSettings } from '../../operators/kit/defineOperator.ts';
import type { Outlet } from '../../operators/kit/Outlet.ts';
import { tellAtExit } from './tellAtExit.ts';
import { sha256 } from '../files/blocks.ts';
import { sinkFailure } from '../files/FileSystem.ts';

/** What all sinks of files share: checks the options, and returns an operator that opens the file or stream on subscription. */
export function rowsTo<Row>(
  name: string,
  to: string | Writable,
  options: OutputOptions,
  /** The sink's own options, besides those of every file. */
  own: OptionKinds,
  encoder?: () => RowEncoder,
): SinkOf<Row, FileReport>;
export function rowsTo(
  name: string,
  to: string | Writable,
  options: OutputOptions,
  own: OptionKinds,
  encoder?: () => RowEncoder,
): OperatorFunction<unknown, FileReport> {
  const isStream = typeof to === 'object' && to !== null && typeof to.write === 'function';
  const { append, signal: ofSignal, ...ofFile } = fileOptions.kinds;
  const shared = isStream ? {} : { ...ofFile, ...(encoder === undefined ? {} : { append }) };
  const { format: _, ...given } = options;
  const { signal } = options;
  const lazy = encoder !== undefined;
  new OptionSet({ ...shared, signal: ofSignal, ...own }).check(name, given, '', undefined, isStream ? ' for a stream' : '');
  if (isStream && encoder !== undefined) {
    checkOutputOptions(name, 'a stream', options);
    return rowsToFile(name, () => new RowOutput('-', encoder(), streamTarget(to)), { signal, lazy });
  }
  const path = to as string;
  checkOutputOptions(name, path, options);
  const kind = fileKindOf(path);
  // a file must not have the ending of another format
  if (kind !== undefined && kind.format !== options.format && !(kind.text && encoder !== undefined)) {
    const right = `to${kind.format[0]!.toUpperCase()}${kind.format.slice(1)}`;
    throw new RangeError(`${name}: ${path} is the name of a ${kind.format} file; use ${right === 'toTsv' ? 'toCsv' : right} for that`);
  }
  return rowsToFile(name, () => openOutput(path, options), { signal, lazy });
}

const maxRows = 1000;
const maxBytes = 1024 * 1024;

interface RowsToFileSettings extends OperatorSettings {
  /** Whether the output takes lazy rows. */
  readonly lazy?: boolean | undefined;
}

/**
 * The operator for an output. The file is opened and everything is checked before the source is subscribed. While
 * 1,000 rows or 1 MiB wait for the disk, requests upstream are held. Unless the source completes, nothing is left at the path.
 */
function rowsToFile(name: string, open: () => OutputFile, { signal, lazy }: RowsToFileSettings): OperatorFunction<unknown, FileReport> {
  return defineOperator((source, out) => write(name, source, out, open(), lazy), { signal });
}

function write(name: string, source: Observable<unknown>, out: Outlet<FileReport>, file: OutputFile, lazy: boolean | undefined): void {
  const holder = out.holder(`file ${file.path}`);
  let over = false;
  let isFirst = true;
  let rows: Subscription | undefined;
  const forget = tellAtExit(file.path);
  out.atEnd(() => {
    over = true;
    forget();
    void file.abort(); // waits for the write in flight; does nothing if the file is finished
  });

  const fail = (error: unknown): void => {
    over = true;
    rows?.unsubscribe();
    void file.abort().then((left) => out.error(streamFailure(file.path, error, left)));
  };
  const finish = async (): Promise<void> => {
    over = true;
    try {
      out.next(await file.finish());
      out.complete();
    } catch (error) {
      fail(error);
    }
  };
  const isBehind = (): boolean => !over && (file.backlogRows >= maxRows / 2 || file.backlog >= maxBytes / 2);
  const hold = async (): Promise<void> => {
    holder.hold(true);
    try {
      while (isBehind()) {
        await file.flush();
        holder.moved();
      }
    } catch (error) {
      if (!over) fail(error);
    }
    holder.release();
  };
  rows = out.listen(
    source,
    {
      next(row) {
        const fault = isFirst ? pageFault(name, row) : undefined;
        isFirst = false;
        if (fault !== undefined) return out.error(fault);
        file.write(row);
        if (!holder.holding && (file.backlogRows >= maxRows || file.backlog >= maxBytes)) void hold();
      },
      error: fail,
      complete() {
        if (!over) void finish();
      },
    },
    holder,
    lazy,
  );
}

/** The error of a failed stream: what happened, and which files it left beside the path. */
function streamFailure(path: string, cause: unknown, left: Leftover | undefined): SinkError {
  const what = messageOf(cause);
  const there = left === undefined ? 'Nothing was left beside it.' : whatIsLeft(left);
  return new SinkError(`${path} was not written: ${/[.?!]$/.test(what) ? what : `${what}.`} ${there}`, { ...detailsOf(cause), cause });
}

function whatIsLeft({ path, rows, torn }: Leftover): string {
  const count = `${countOf(rows, 'whole row is', 'whole rows are')} in ${path}${torn ? ', perhaps followed by a torn one' : ''}`;
  return `${count}; the next run to this path replaces that file.`;
}

function detailsOf(cause: unknown): ErrorDetails {
  if (!(cause instanceof TrawlerError)) return {};
  const { operation, query, status, code, requestId, attempts, retryAfterMs } = cause;
  return { operation, query, status, code, requestId, attempts, retryAfterMs };
}

/**
 * A Writable as a target. It gets rows no faster than it takes them. It is ended after the last row, unless it is stdout or stderr.
 */
function streamTarget(stream: Writable): OutputTarget {
  if (stream.destroyed || stream.writableEnded) throw new SinkError('the stream is closed already');
  const isOwn = (stream as unknown) === process.stdout || (stream as unknown) === process.stderr;
  const part = 'the stream';
  let failure: Error | undefined;
  let tell: (error: Error) => void = () => undefined;
  const lost = new Promise<Error>((resolve) => (tell = resolve));
  /** Rejects the call that waits for the stream. A broken stream may never call back. */
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
    syncName: () => Promise.resolve(),
    async publish() {
      try {
        // waits until all bytes have left the process, and fails if the reader has gone
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
