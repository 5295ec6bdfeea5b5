import { inWords } from '../../../operators/check/nearestName.ts';
import type { OperationInput } from '../Operation.ts';
import { methods } from '../Param.ts';
import type { PagingWord } from '../PagingWords.ts';
import { inHeader, isPageSlot, pageSlotNames, pageSlots } from '../pagingOf.ts';
import { partsOf } from '../template.ts';

type Way = 'no pages' | 'page numbers' | 'offsets' | 'the last row' | 'tokens' | 'addresses' | 'merge';

/** The fields that may be used with each way to the next page. */
const words: { readonly [way in Way]: readonly PagingWord[] } = {
  'no pages': ['total'],
  'page numbers': ['more', 'done', 'total', 'pages', 'alone'],
  offsets: ['more', 'done', 'total', 'pages', 'alone', 'size'],
  'the last row': ['more', 'done', 'total', 'alone', 'size'],
  tokens: ['next', 'more', 'done', 'total', 'alone', 'size', 'nextPath', 'repeats'],
  addresses: ['next', 'more', 'done', 'total', 'size'],
  merge: ['merge', 'alone', 'total'],
};
const allWords = [...new Set(Object.values(words).flat())];

/** Says why the pages of an operation can't be walked in the way that its description says. */
export function* pagingFaults(spec: OperationInput): Generator<string | undefined> {
  const { next, merge, pages, size } = spec;
  const slots = pageSlots(spec);
  const names = [...new Set(slots.map(({ slot }) => slot.name))];
  const kinds = [...new Set(names.map((name) => (name.startsWith('last.') ? 'last' : name)))];
  for (const name of names)
    if (spec.params?.[name]?.required === true)
      yield `params.${name} is required, and \${${name}} stands for the place of a page; give the parameter another name`;
  if (kinds.length > 1) yield `it has ${names.map((name) => `\${${name}}`).join(' and ')}; one of them leads to the next page`;
  const way = wayOf(kinds[0], spec);
  const meant = way === 'no pages' ? pageSlotNames.find((name) => Object.hasOwn(spec.params ?? {}, name)) : undefined;
  if (meant !== undefined)
    yield (
      `params.${meant} is in no text, so no page after the first is requested; write query: { ${meant}: '\${${meant}}' }, or give ` +
        `another name to what is no place of a page`
    );
  if (kinds[0] === 'cursor' && next === undefined)
    yield "it has ${cursor}, so next is missing: where a response has the token of the next page, such as next: 'meta.next'";
  if (kinds[0] !== undefined && merge !== undefined) yield `it has \${${names[0]!}} and merge; one of them leads to the next page`;
  for (const word of allWords) if (spec[word] !== undefined && !words[way].includes(word)) yield misfit(word, way);
  if (way === 'offsets' && pages !== undefined && size === undefined)
    yield 'pages needs size: with ${offset}, the number of rows of a page. total may say how many rows there are';
  const headers = next === undefined ? [] : [next].flat().filter((source) => source.startsWith(inHeader));
  if (headers.length > 1) yield `next has ${headers.map(inWords).join(' and ')}; one header leads to the next page`;
  if (way === 'tokens' && headers[0]?.toLowerCase() === 'header:link')
    yield "next is 'header:link', which has the address of the next page, so no text can have ${cursor}";
  for (const { slot } of slots) {
    const isCount = slot.name === 'page' || slot.name === 'offset';
    if (isCount && slot.as !== undefined && !/^(0|[1-9]\d{0,14})$/.test(slot.as))
      yield `it has \${${slot.name}:${slot.as}}; behind the colon stands the number of the first page, such as \${${slot.name}:1}`;
    if (slot.name.startsWith('last.') && slot.as !== undefined)
      yield `it has \${${slot.name}:${slot.as}}; the first page has no row before it`;
  }
  for (const part of methods.flatMap((method) => partsOf(spec[method] ?? '')))
    if (typeof part !== 'string' && isPageSlot(part) && part.as === undefined)
      yield `\${${part.name}} is in the path, so it needs a first value, such as \${${part.name}:1}`;
}

function wayOf(kind: string | undefined, { next, merge }: OperationInput): Way {
  if (kind === undefined) return merge !== undefined ? 'merge' : next !== undefined ? 'addresses' : 'no pages';
  return kind === 'page' ? 'page numbers' : kind === 'offset' ? 'offsets' : kind === 'cursor' ? 'tokens' : 'the last row';
}

function misfit(word: PagingWord, way: Way): string {
  if (way === 'no pages')
    return `${word} says something of pages, and nothing leads to the next one: \${page:1}, \${offset} or \${cursor} in a text, or next`;
  const other = Object.keys(words).filter((each) => words[each as Way].includes(word));
  const leads = way === 'merge' ? 'merge leads' : way === 'the last row' ? 'the last row leads' : `${way} lead`;
  return `here ${leads} to the next page, so leave ${word} out; it is for ${other.join(', ').replace(/, (?=[^,]*$)/, ' or ')}`;
}
