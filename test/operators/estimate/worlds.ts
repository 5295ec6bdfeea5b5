import { seeded } from '../../files/seeded.ts';

/** A search service with rows that overlapping queries find, cut off after the first ones of a ranking. */
export interface World {
  readonly kind: string;
  readonly seed: number;
  /** All rows of the service. */
  readonly total: number;
  /** The ranked rows of each query, up to the cap. */
  readonly queries: readonly (readonly number[])[];
}

interface WorldKind {
  readonly name: string;
  /** The share of the rows that match a query: from, to. */
  readonly match: readonly [number, number];
  /** How much popularity decides the ranking: 0 is a random draw. */
  readonly fame: number;
  /** Groups of queries that share no rows, apart from a few. 1: none. */
  readonly topics: number;
  /** Queries match very different shares of the rows. */
  readonly uneven?: true;
}

export const worldKinds: readonly WorldKind[] = [
  { name: 'random', match: [0.2, 0.6], fame: 0, topics: 1 },
  { name: 'ranked', match: [0.2, 0.6], fame: 0.5, topics: 1 },
  { name: 'heavy tail', match: [0.1, 0.8], fame: 2, topics: 1 },
  { name: 'uneven', match: [0.02, 1], fame: 0.3, topics: 1, uneven: true },
  { name: 'little overlap', match: [0.01, 0.08], fame: 0.3, topics: 1 },
];

export const topicsKind: WorldKind = { name: 'different things', match: [0.3, 0.8], fame: 0.3, topics: 4 };

/** As many as the number of a row may have. */
const lastBits = 2 ** 14 - 1;

/** The world of a seed: its size, overlaps, ranking and cap follow from it. */
export function worldOf(seed: number, kind: WorldKind = worldKinds[seed % worldKinds.length]!): World {
  const random = seeded(seed);
  const between = (low: number, high: number): number => low * (high / low) ** random();
  const size = Math.round(between(300, 10_000));
  const count = Math.round(between(4, 60));
  const cap = Math.round(between(size / 40, size));
  const fame = Float64Array.from({ length: size }, () => kind.fame * normal(random));
  const topicOf = Uint8Array.from({ length: size }, () => Math.floor(random() * kind.topics));
  const queries = Array.from({ length: count }, (_, index) => {
    const share = kind.uneven === true ? between(...kind.match) : kind.match[0] + random() * (kind.match[1] - kind.match[0]);
    const scores = new Float64Array(size);
    const words = new Uint32Array(scores.buffer);
    let matches = 0;
    for (let row = 0; row < size; row++) {
      const isOther = topicOf[row] !== index % kind.topics;
      if (random() >= share * (isOther ? 0.03 : 1)) continue;
      scores[matches] = fame[row]! + normal(random);
      // In its last bits a score has its row: numbers alone are sorted five times as fast as objects.
      words[2 * matches] = (words[2 * matches]! & ~lastBits) | row;
      matches += 1;
    }
    scores.subarray(0, matches).sort();
    return Array.from({ length: Math.min(cap, matches) }, (_, rank) => words[2 * (matches - 1 - rank)]! & lastBits);
  });
  return { kind: kind.name, seed, total: size, queries };
}

function normal(random: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
}
