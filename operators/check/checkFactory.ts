import { inWords } from './inWords.ts';

const other = { cursor: 'expandCursor', offset: 'offsetPages' } as const;

/** Throws a RangeError if `factory` isn't an operation that the operator can walk, and says what to pass instead. */
export function checkFactory(caller: 'expandCursor' | 'offsetPages', factory: unknown, kind: 'cursor' | 'offset'): void {
  const found = kindOf(factory);
  if (typeof factory === 'function' && found === kind) return;
  if (typeof factory === 'function' && (found === 'cursor' || found === 'offset')) {
    throw new RangeError(`${caller}: ${factory.name} has pages by ${found === 'cursor' ? 'token' : 'count'}; use ${other[found]} for it`);
  }
  if (typeof factory === 'function' && found === 'none') {
    throw new RangeError(`${caller}: ${factory.name} has one page only; call it with the query instead`);
  }
  const operations = Object.entries(typeof factory === 'object' && factory !== null ? factory : {});
  const names = operations.filter(([, value]) => kindOf(value) === kind).map(([name]) => name);
  const hint = names.length === 0 ? 'such as client.search' : `such as client.${names.slice(0, 3).join(', client.')}`;
  const what = names.length > 0 ? 'a client' : typeof factory === 'function' ? 'a function without paging' : inWords(factory);
  throw new RangeError(`${caller}: the first argument must be an operation, ${hint}; this is ${what}`);
}

function kindOf(value: unknown): unknown {
  return typeof value === 'function' ? (value as { readonly paging?: { readonly kind?: unknown } }).paging?.kind : undefined;
}
