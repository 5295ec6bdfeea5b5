import { fileKindOf } from '../../sinks/index.ts';

/** Whether rows can be written with the same bytes as received. */
export function isJsonl(path: string): boolean {
  return fileKindOf(path)?.format === 'jsonl';
}
