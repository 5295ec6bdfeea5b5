import { dayMs, dayText } from '../../../operators/kit/days.ts';
import type { Random } from './Random.ts';

/** The date of the world's first day. It is fixed, so that responses stay the same. */
const today = Date.UTC(2026, 4, 1, 9, 30);

const givenNames = (
  'Ada Bruno Chloé Dmitri Efua Fatima Grace Hiro Ines Jürgen Kwame Lucía Mei Nadia Omar Priya Quentin Rosa Søren Tomás Uma Viktor ' +
  'Wanjiru Xiomara Yusuf Zoë'
).split(' ');
const familyNames = (
  "Abara Bianchi Castillo Dubois Eriksen Fischer García Haddad Ivanova Jansen Kowalski Lindqvist O'Malley Müller Nakamura Okafor " +
  'Petrov Quispe Rossi Silva Tanaka van der Berg Weiss Xu Yılmaz Zhang'
).split(' ');
const words = (
  'warm quiet table window corner morning staff smile queue price street music light garden coffee cake bread river model method ' +
  'result system signal market season travel journey room view wall paper measure network sample careful simple local modern early ' +
  'late second visit return always never often almost again worth every'
).split(' ');
const oddities = [
  'Best ☕️ in town 😍👩‍👩‍👧',
  'They call it "the quiet place", and it is.',
  'First line\nsecond line\r\nthird line',
  '=SUM(A1:A9) is what the bill felt like',
  '-1 for the queue, +1 for the cake',
  '@everyone should go',
  'مكان رائع، قهوة ممتازة',
  'שירות מעולה, נחזור שוב',
  'naïve café, crème brûlée; 100 % – “très bien”',
  'a\ttab, a comma, and a trailing space ',
  '店員さんがとても親切でした。',
  'line\u2028separator',
  '<b>bold</b> &amp; "quoted", even here',
  "It's 5'11\" wide \\ tall",
] as const;

/** A text as people write it. One in nine has odd characters. */
export function prose(random: Random, low: number, high: number): string {
  if (random.chance(1 / 9)) return random.pick(oddities);
  return sentence(random, low, high);
}

/** Plain words with a capital and a full stop. */
export function sentence(random: Random, low: number, high: number): string {
  return `${phrase(random, random.int(low, high))}.`;
}

/** This many words, the first with a capital. */
export function phrase(random: Random, count: number): string {
  let text = '';
  for (let i = 0; i < count; i++) text += (i === 0 ? '' : ' ') + random.pick(words);
  return text[0]!.toUpperCase() + text.slice(1);
}

export function personName(random: Random): string {
  return `${random.pick(givenNames)} ${random.pick(familyNames)}`;
}

/** The day this many days before the world's day, as YYYY-MM-DD. */
export function dayAgo(days: number): string {
  return dayText(today - days * dayMs);
}

/** The time this many days before the world's day. */
export function instantAgo(days: number): string {
  return new Date(today - days * dayMs).toISOString();
}

const agoUnits = [[365, 'year'], [30, 'month'], [7, 'week'], [1, 'day']] as const; // prettier-ignore

/** A time this many days ago in words, such as `2 days ago`. */
export function ago(days: number): string {
  const [size, unit] = agoUnits.find(([size]) => days >= size) ?? [1 / 24, 'hour'];
  const count = unit === 'hour' ? Math.max(1, Math.round(days / size)) : Math.floor(days / size);
  return count === 1 ? `${unit === 'hour' ? 'an' : 'a'} ${unit} ago` : `${count} ${unit}s ago`;
}

/** A count as the service shortens it: 812, 1.2K, 3M. */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${(count / 1000).toFixed(1).replace('.0', '')}K` : `${(count / 1_000_000).toFixed(1).replace('.0', '')}M`;
}

/** A path segment made from a text. */
export function slug(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
}

/** A query in title case, as its theme. */
export function titled(text: string): string {
  return text.replaceAll(/(^|\s)\p{L}/gu, (letter) => letter.toUpperCase());
}
