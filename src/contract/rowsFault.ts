import { inWords } from '../../operators/check/inWords.ts';
import type { OperationSpec } from './Operation.ts';
import { parsePath } from './valuesAt.ts';

/** Says what is wrong with the place of the rows. undefined: nothing. */
export function rowsFault({ list, keyed }: OperationSpec): string | undefined {
  if (list !== null && list !== '' && (typeof list !== 'string' || parsePath(list.replace(/^\[\]\./, '')) === undefined))
    return `list must be a path such as data.children[].data, '' or null, not ${inWords(list)}`;
  if (keyed === undefined) return undefined;
  if (typeof keyed !== 'string' || keyed === '') return `keyed must be the name of a column, not ${inWords(keyed)}`;
  if (list === null) return 'keyed needs a list: the place of the object whose members are the rows';
  return list.includes('[]') ? 'keyed is for the members of one object, so list must have no []' : undefined;
}
