import type { FailureSpec } from '../../contract/FailureSpec.ts';

/** Codes of a whole response, and of the task in it. Nearly all come with the status 200. */
export const codes: readonly { readonly is: readonly number[]; readonly means: FailureSpec['means'] }[] = [
  { is: [40102], means: 'empty' },
  { is: [40100, 40104, 40201, 40204, 40207], means: 'auth' },
  { is: [40200, 40203, 40205, 40206, 40210], means: 'quota' },
  { is: [40202, 40209], means: 'throttled' },
  { is: [40101, 40103, 50000, 50001, 50100, 50301, 50303, 50304, 50401, 50402], means: 'busy' },
  {
    is: [40000, 40001, 40002, 40003, 40004, 40006, 40400, 40401, 40402, 40403, 40404, 40501, 40502, 40503, 40505, 40506],
    means: 'final',
  },
];

/** Where the code of a task is. */
export const codeOfTask = 'tasks.0.status_code';

/** The first request sets a task. Its result is at an address made from its id, usually after five minutes. `codes` are failures. */
export const job = <const Path extends `/${string}`>(path: Path) =>
  ({
    at: 'tasks.0.id',
    get: path,
    until: { at: codeOfTask, is: [20000] },
    everyMs: 10_000,
  }) as const;
