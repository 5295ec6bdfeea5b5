import { fieldAt, keyOfRows, pathsOf, rowShape, type FanOutSource, type FanOutSpec, type Operation } from '../contract/index.ts';

/**
 * Whether the documented rows of an operation have what a fan-out reads, and lead to something else than themselves.
 * A flow may run it over other rows too: they may have fields that nobody documented.
 */
export function canFanOut(operation: Operation, fanOut: FanOutSpec): boolean {
  const { name, params, spec } = operation;
  const list = fanOut.rows === undefined ? spec.list : fanOut.rows;
  const shape = rowShape(spec.response, list, keyOfRows(operation, list));
  if (shape === undefined) return false;
  const itself = fanOut.call === name && fanOut.rows === undefined && fanOut.walks !== true && spec.variants === undefined;
  const reads = (source: FanOutSource): boolean => {
    const { row, query } = pathsOf(source);
    if (query !== undefined) return Object.hasOwn(params, query);
    return row === undefined || ['value', 'list', 'object'].includes(fieldAt(shape, row.replaceAll('[]', '.[]').split('.')).kind);
  };
  return !itself && Object.values(fanOut.with).every((from) => (Array.isArray(from) ? from : [from as FanOutSource]).some(reads));
}
