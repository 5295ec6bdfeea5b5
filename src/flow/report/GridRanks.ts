import type { PointOnEarth } from '../../../operators/split/gridOf.ts';
import type { KeptColumns } from '../query/bindQueries.ts';

/** Where the wanted rows of a stage with a grid rank, point by point. */
export interface GridRanks {
  readonly stage: string;
  /** The other columns that its queries keep, which tell one search from another. */
  readonly search: KeptColumns;
  readonly points: readonly RankedPoint[];
}

export interface RankedPoint extends PointOnEarth {
  /** The best rank of the wanted rows there. undefined: none was found. */
  rank: number | undefined;
  /** How many wanted rows were found there. */
  rows: number;
  /** Its query failed or wasn't sent, so nothing is known of it. */
  readonly isUnknown: boolean;
}

/** The file with the ranks of a stage. */
export function rankFile(stage: string): string {
  return `${stage}.geojson`;
}

/** The points of each stage as GeoJSON, by the name of its file. */
export function rankFeatures(all: readonly GridRanks[]): ReadonlyMap<string, string> {
  const stages = [...new Set(all.map(({ stage }) => stage))];
  return new Map(stages.map((name) => [rankFile(name), featuresOf(all.filter(({ stage }) => stage === name))]));
}

function featuresOf(all: readonly GridRanks[]): string {
  const features = all.flatMap(({ search, points }) =>
    points.map(({ latitude, longitude, rank, rows, isUnknown }) => ({
      type: 'Feature',
      geometry: { type: 'Point', coordinates: [longitude, latitude] },
      properties: { ...search, rank: rank ?? null, rows, ...(isUnknown ? { unknown: true } : {}) },
    })),
  );
  return `${JSON.stringify({ type: 'FeatureCollection', features })}\n`;
}
