import type { ObjectShape } from '../../contract/Shape.ts';
import { shared } from '../../search/shared.ts';

/** Its codes are 2000 plus the number of the country in ISO 3166. Only that of `us` is documented. */
const countries = {
  ae: 2784, ar: 2032, at: 2040, au: 2036, be: 2056, br: 2076, ca: 2124, ch: 2756, cl: 2152, co: 2170, cz: 2203, de: 2276, dk: 2208,
  es: 2724, fi: 2246, fr: 2250, gb: 2826, gr: 2300, hu: 2348, id: 2360, ie: 2372, il: 2376, in: 2356, it: 2380, jp: 2392, kr: 2410,
  mx: 2484, my: 2458, nl: 2528, no: 2578, nz: 2554, pe: 2604, ph: 2608, pl: 2616, pt: 2620, ro: 2642, sa: 2682, se: 2752, sg: 2702,
  th: 2764, tr: 2792, tw: 2158, ua: 2804, uk: 2826, us: 2840, vn: 2704, za: 2710,
} as const; // prettier-ignore

export const query = { type: 'string', required: true, about: 'what to search for' } as const;
export const country = { ...shared.country, values: countries } as const;

/** What its searches take. A search without a place or a language is refused, so both have a default. */
export const { language } = shared;
export const params = { query, country, language } as const;
export const spoken = { location_code: '${country:us}', language_code: '${language:en}' } as const;
export const task = { keyword: '${query}', ...spoken } as const;

/** All rows come in one response. */
export const depth = <const Default extends number, const Max extends number>(rows: Default, max: Max) =>
  ({ depth: { type: 'integer', min: 1, max, default: rows, about: 'how many rows to read; each page of them is charged' } }) as const;

/** What rows of any type have. */
const item = { type: 'string', 'rank_group?': 'integer', 'rank_absolute?': 'integer', 'position?': 'string|null' } as const;
export const ranks = { page_rank: 'rank_group', rank: 'rank_absolute' } as const;

export const rating = {
  $nullable: { 'rating_type?': 'string|null', 'value?': 'number|null', 'votes_count?': 'integer|null', 'rating_max?': 'integer|null' },
} as const;

/** What a result has besides its rows. */
export const result = { 'keyword?': 'string', 'check_url?': 'string|null', 'datetime?': 'string', 'items_count?': 'integer' } as const;

/** A result whose rows have these fields, too. */
export const resultOf = <const Fields extends ObjectShape>(fields: Fields) =>
  ({ ...result, items: { $nullable: [{ ...item, ...fields }] } }) as const;
