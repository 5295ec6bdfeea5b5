import { formatCount } from './format.ts';
import { isRank } from './columnNames.ts';

/** How rows are coloured. */
export interface RowKinds {
  readonly kinds: readonly { readonly name: string; readonly colour: string }[];
  /** The kind of each dot, as its index in `kinds`. */
  readonly of: readonly number[];
  /** What is written in each dot, where there is room. */
  readonly labels?: readonly string[];
}

const kindCount = 5;
/** Where the kinds of ranks begin, the best first, which is the darkest. */
const rankEdges = [1, 4, 7, 11, 21];
const longestLabel = 5;

/** What colours and labels stand for: fifths of the numbers by size, a few ranks each, or the most frequent values. null: no value. */
export function pointKinds(values: readonly (string | null)[], name: string): RowKinds {
  const texts = values.map((value) => value ?? '');
  const given = texts.filter((text) => text !== '');
  const labels = given.every((text) => text.length <= longestLabel) ? texts.map((text) => text || '–') : undefined;
  const numbers = given.map(Number).toSorted((one, other) => one - other);
  const none = given.length < texts.length ? [{ name: `no ${name}`, colour: 'line-colour' }] : [];
  if (numbers.length > 0 && numbers.every(Number.isFinite)) {
    const ofRank = isRank(name);
    const fifths = [...new Set(Array.from({ length: kindCount }, (_, part) => numbers[Math.floor((part * numbers.length) / kindCount)]!))];
    const edges = ofRank
      ? rankEdges.filter((edge, at) => numbers.some((number) => number >= edge && number < (rankEdges[at + 1] ?? Infinity)))
      : fifths;
    const most = (at: number): number => numbers.findLast((number) => number < (edges[at + 1] ?? Infinity))!;
    const said = (from: number, to: number): string => (from === to ? formatCount(from) : `${formatCount(from)} to ${formatCount(to)}`);
    const colour = (edge: number, at: number): string => `q${ofRank ? kindCount - rankEdges.indexOf(edge) : at + 1}`;
    const sizes = edges.map((edge, at) => ({ name: `${name} ${said(edge, most(at))}`, colour: colour(edge, at) }));
    const of = texts.map((text) =>
      text === ''
        ? edges.length
        : Math.max(
            0,
            edges.findLastIndex((edge) => Number(text) >= edge),
          ),
    );
    return { kinds: [...sizes, ...none], of, ...(labels && { labels }) };
  }
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  const frequent = [...counts].toSorted(([, one], [, other]) => other - one).slice(0, kindCount).map(([text]) => text); // prettier-ignore
  const kinds = frequent.map((text, at) => ({ name: text === '' ? `no ${name}` : text.slice(0, 40), colour: `c${at + 1}` }));
  const of = texts.map((text) => (frequent.includes(text) ? frequent.indexOf(text) : frequent.length));
  return { kinds: counts.size > kindCount ? [...kinds, { name: 'others', colour: 'mute' }] : kinds, of, ...(labels && { labels }) };
}
