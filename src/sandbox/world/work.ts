import { range, type World } from './World.ts';
import { personName, phrase, sentence } from './words.ts';

/** A scholarly work, by its id. */
export interface Work {
  readonly id: string;
  readonly title: string;
  readonly year: number;
  readonly journal: string;
  readonly citesId: string;
  readonly clusterId: string;
  readonly abstract: string;
}

export interface Scholar {
  readonly id: string;
  readonly name: string;
  readonly affiliations: string;
  readonly email: string;
  readonly citations: number;
  readonly interests: readonly string[];
}

const journals = [
  'Journal of Quiet Systems',
  'Proc. of the "Signals" Conference',
  'arXiv preprint',
  'Annals of Measurement, Series B',
] as const;

export function work(world: World, id: string): Work {
  const random = world.random('work', id);
  return {
    id,
    title: random.chance(0.06) ? `=A “${phrase(random, 2)}”, revisited` : phrase(random, random.int(4, 9)),
    year: random.int(1985, 2026),
    journal: random.pick(journals),
    citesId: random.digits(19),
    clusterId: random.digits(20),
    abstract: sentence(random, 15, 40),
  };
}

/** The number of works that cite this one, which is what a search with `cites` lists. */
export function citations(world: World, citesId: string): number {
  const random = world.random('cited', citesId);
  return random.chance(0.15) ? 0 : random.int(1, 34) + newCitations(world, citesId);
}

/** How many of them are from after the world began: on one day of five, if there are any. */
export function newCitations(world: World, citesId: string): number {
  return range(1, world.day + 1).filter((day) => world.random('cited on', citesId, day).chance(0.2)).length;
}

/** The number of versions of a work, which is what a search with `cluster` lists. */
export function versions(world: World, clusterId: string): number {
  return world.random('versions', clusterId).int(2, 9);
}

export function scholar(world: World, id: string): Scholar {
  const random = world.random('scholar', id);
  const name = personName(random);
  const place = phrase(random, 1);
  return {
    id,
    name,
    affiliations: random.chance(0.1) ? '' : `${random.pick(['Professor', 'Researcher', 'PhD student'])}, University of ${place}`,
    email: random.chance(0.2) ? '' : `Verified email at ${place.toLowerCase()}.example`,
    citations: random.int(0, 40_000),
    interests: random.some(['Measurement', 'Networks', 'Signal processing', 'History of “coffee”', 'Statistics'], 0, 3),
  };
}

/** The ids of the people who work on a subject. */
export function scholarsOf(world: World, subject: string, count: number): string[] {
  return range(0, count).map((index) => `${world.random('scholars', subject.toLowerCase(), index).key(10)}AJ`);
}
