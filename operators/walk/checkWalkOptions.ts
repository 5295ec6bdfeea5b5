import { inWords } from '../check/checkOptions.ts';
import type { WalkFactory } from './WalkFactory.ts';
import type { WalkOptions } from './WalkOptions.ts';

/** Rejects options that no walk supports, before any request. `caller` is the function that received them. */
export function checkWalkOptions(caller: string, factory: WalkFactory, options: WalkOptions): void {
  const { paging } = factory;
  const refuse = (option: keyof WalkOptions, must: string): never => {
    throw new RangeError(`${caller}(${factory.name}): ${option} ${must}, not ${inWords(options[option])}`);
  };
  const atLeast = (option: 'maxPages' | 'maxItems' | 'startPage', least: number): void => {
    const value = options[option];
    const whole = Number.isSafeInteger(value) || (value === Infinity && option !== 'startPage');
    if (value !== undefined && !(whole && value >= least)) refuse(option, `must be a whole number from ${least} on`);
  };
  atLeast('maxPages', 1);
  atLeast('maxItems', 1);
  atLeast('startPage', 0);
  if (options.direction !== undefined && options.direction !== 'next') {
    if (options.direction !== 'previous') refuse('direction', "must be 'next' or 'previous'");
    if (paging.kind !== 'cursor' || paging.previous === undefined)
      refuse('direction', "can only be next: the operation can't page backwards");
  }
  if (options.startCursor !== undefined) {
    if (paging.kind !== 'cursor') refuse('startCursor', 'is for operations that have cursors');
    if (typeof options.startCursor !== 'string' || options.startCursor === '') refuse('startCursor', 'must be a text that is not empty');
  }
  if (options.startPage !== undefined && options.startPage > 0 && (paging.kind !== 'offset' || paging.step === 'received')) {
    refuse('startPage', 'is for operations whose pages are counted');
  }
  const { cursorAt, onShort = 'tell' } = options;
  if (onShort !== 'tell' && onShort !== 'error') refuse('onShort', "must be 'tell' or 'error'");
  if (cursorAt !== undefined && ((typeof cursorAt !== 'string' && typeof cursorAt !== 'function') || cursorAt === '')) {
    refuse('cursorAt', 'must be a dotted path or a function of the page');
  }
}
