import { SinkError } from '../errors/index.ts';
import { messageOf } from '../errors/messageOf.ts';

const meanings: { readonly [code: string]: string } = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
  EFBIG: 'the file system allows no file of that size',
  EIO: 'the disk reports a fault',
  EACCES: 'permission is denied',
  EPERM: 'the file system does not permit it, or another program has it open',
  EBUSY: 'another program has it open',
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
  const why = code === undefined ? messageOf(cause) : `${meanings[code] ?? 'the system says no'} (${code})`;
  return new SinkError(`${path}: ${doing} failed: ${why}`, { cause });
}
