import { SinkError, TrawlerError, type ErrorDetails } from '../errors/index.ts';
import type { Leftover } from './OutputFile.ts';

const meanings: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system allows no file of that size',
  EIO: 'the disk reports a fault',
  EACCES: 'permission is denied',
  EPERM: 'the file system does not permit it',
  EROFS: 'the file system is read-only',
  EISDIR: 'there is a folder',
  ENOTDIR: 'something on the way is not a folder',
  ENOENT: 'something on the way is missing',
  EEXIST: 'the name is taken',
  ENAMETOOLONG: 'the name is too long',
  EMFILE: 'too many files are open',
  ELOOP: 'symlinks go round in a circle',
};

/** The system's code of an error, such as `ENOSPC`. */
export function systemCode(error: unknown): string | undefined {
  if (!(error instanceof Error) || !('code' in error)) return undefined;
  return typeof error.code === 'string' ? error.code : undefined;
}

/** Wraps a failure at `path` in a SinkError. A SinkError stays as it is. */
export function sinkFailure(path: string, doing: string, cause: unknown): SinkError {
  if (cause instanceof SinkError) return cause;
  const code = systemCode(cause);
  const why =
    code === undefined ? String(cause instanceof Error ? cause.message : cause) : `${meanings[code] ?? 'the system says no'} (${code})`;
  return new SinkError(`${path}: ${doing} failed: ${why}`, { cause });
}

/** The error of a failed stream: what happened, and which files it left beside the path. */
export function streamFailure(path: string, cause: unknown, left: Leftover | undefined): SinkError {
  const what = cause instanceof Error ? cause.message : String(cause);
  const there = left === undefined ? 'Nothing was left beside it.' : whatIsLeft(left);
  return new SinkError(`${path} was not written: ${what.replace(/\.$/, '')}. ${there}`, { ...detailsOf(cause), cause });
}

function whatIsLeft({ path, rows, torn, finished = [] }: Leftover): string {
  const files = [...finished, path].filter((name) => name !== '').join(', ');
  const count = `${rows} whole ${rows === 1 ? 'row is' : 'rows are'} in ${files}${torn ? ', perhaps followed by a torn one' : ''}`;
  return finished.length > 0 ? `${count}; there is no manifest.` : `${count}; the next run to this path replaces that file.`;
}

function detailsOf(cause: unknown): ErrorDetails {
  if (!(cause instanceof TrawlerError)) return {};
  const { operation, query, status, code, requestId, attempts, retryAfterMs } = cause;
  return { operation, query, status, code, requestId, attempts, retryAfterMs };
}
