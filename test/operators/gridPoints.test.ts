import { lastValueFrom, toArray } from 'rxjs';
import { describe, expect, it } from 'vitest';
import { dates, dayAfter, gridPoints, type GridPoint, type GridPointsOptions, type Within } from '../../operators/index.ts';
import { areaOf } from '../../operators/split/areaOf.ts';
import { seeded } from '../files/seeded.ts';

const all = (options: GridPointsOptions): Promise<GridPoint[]> => lastValueFrom(gridPoints(options).pipe(toArray()));

/** On a sphere, by the chord: exact for points that are close together, too. */
function kmBetween(one: Pick<GridPoint, 'latitude' | 'longitude'>, other: Pick<GridPoint, 'latitude' | 'longitude'>): number {
  const at = ({ latitude, longitude }: typeof one): readonly number[] => {
    const [lat, lng] = [(latitude * Math.PI) / 180, (longitude * Math.PI) / 180];
    return [Math.cos(lat) * Math.cos(lng), Math.cos(lat) * Math.sin(lng), Math.sin(lat)];
  };
  const [a, b] = [at(one), at(other)];
  return 2 * 6371 * Math.asin(Math.min(1, Math.hypot(...a.map((value, index) => value - b[index]!)) / 2));
}

const ring = (west: number, south: number, east: number, north: number): number[][] => [
  [west, south],
  [east, south],
  [east, north],
  [west, north],
  [west, south],
];
const areas: { readonly [name: string]: { readonly within: Within; readonly every: string } } = {
  'a city': { within: [13.3, 52.4, 13.5, 52.6], every: '1km' },
  'a circle': { within: { center: [-73.98, 40.74], radiusKm: 5 }, every: '700m' },
  'across the date line': { within: [179.8, -17, -179.7, -16.6], every: '2km' },
  'round the north pole': { within: [-180, 86, 180, 90], every: '40km' },
  'a wedge to the south pole': { within: [20, -90, 60, -88], every: '15km' },
  'round the equator': { within: [-180, -3, 180, 3], every: '200km' },
  'with a hole': { within: { type: 'Polygon', coordinates: [ring(8, 47, 8.4, 47.3), ring(8.1, 47.1, 8.3, 47.2)] }, every: '2km' },
  'two far parts': {
    within: { type: 'MultiPolygon', coordinates: [[ring(2.2, 48.8, 2.4, 48.9)], [ring(37.5, 55.7, 37.7, 55.8)]] },
    every: '1km',
  },
};

describe('gridPoints', () => {
  it.each(Object.entries(areas))(
    'has each point once, no two too close, and no gap: %s',
    async (_, { within, every }) => {
      const points = await all({ within, every });
      const everyKm = every.endsWith('km') ? Number.parseFloat(every) : Number.parseFloat(every) / 1000;
      const area = areaOf('test', within, true);
      expect(new Set(points.map(({ ll }) => ll)).size).toBe(points.length);
      expect(points.filter(({ latitude, longitude }) => !area.contains(longitude, latitude))).toEqual([]);
      const nearest = (point: Pick<GridPoint, 'latitude' | 'longitude'>, others: readonly GridPoint[]): number =>
        others.reduce((least, other) => Math.min(least, kmBetween(point, other)), Infinity);
      for (const [index, point] of points.entries()) expect(nearest(point, points.slice(0, index))).toBeGreaterThan(everyKm * 0.97);
      // Any spot of the area has a point near it, unless it lies at an edge.
      const random = seeded(7);
      let spots = 0;
      for (let turn = 0; turn < 300; turn++) {
        const from = points[Math.floor(random() * points.length)]!;
        const aside = everyKm / 111.2;
        const latitude = Math.min(90, Math.max(-90, from.latitude + (random() - 0.5) * 6 * aside));
        const round = Math.max(0.001, Math.cos((latitude * Math.PI) / 180));
        const longitude = from.longitude + ((random() - 0.5) * 6 * aside) / round;
        const around = [-1, 1].flatMap((up) => [-1, 1].map((east) => [longitude + (east * aside) / round, latitude + up * aside] as const));
        if (!around.every((at) => area.contains(...at))) continue;
        spots += 1;
        expect(nearest({ latitude, longitude }, points)).toBeLessThan(everyKm);
      }
      expect(spots).toBeGreaterThan(20);
    },
    30_000,
  );

  it.each([1, 9, 25, 49, 50, 300])('has exactly %s points', async (points) => {
    for (const { within } of Object.values(areas)) expect(await all({ within, points })).toHaveLength(points);
  });

  it('is a square of points where the area is one, up to its corners', async () => {
    const points = await all({ within: [-0.01, -0.01, 0.01, 0.01], points: 9, zoom: 17 });
    expect(points[0]).toEqual({ latitude: 0.01, longitude: -0.01, ll: '@0.0100000,-0.0100000,17z' });
    expect(points[4]).toEqual({ latitude: 0, longitude: 0, ll: '@0.0000000,0.0000000,17z' });
    expect(new Set(points.map(({ latitude }) => latitude)).size).toBe(3);
  });

  it.each<[string, GridPointsOptions]>([
    ['give every or points', { within: [0, 0, 1, 1] }],
    ['give every or points', { within: [0, 0, 1, 1], every: '1km', points: 4 }],
    ["every must be a distance such as '1km' or '500m'", { within: [0, 0, 1, 1], every: '1 mile' }],
    ['more than 100000 points', { within: [0, 0, 10, 10], every: '100m' }],
    ['within must be [west, south, east, north]', { within: [0, 0, 1] as unknown as Within, points: 4 }],
  ])('says what is wrong: %s', (message, options) => {
    expect(() => gridPoints(options)).toThrow(message);
  });
});

describe('dates', () => {
  it.each([
    [{ days: '2026-12-30/2027-01-02' }, ['2026-12-30', '2026-12-31', '2027-01-01', '2027-01-02']],
    [{ days: '2028-02-27/2028-03-05', every: '1w', as: 'compactDate' }, ['20280227', '20280305']],
    [{ days: '2026-05-01' }, ['2026-05-01']],
  ] as const)('are the days of %j', async (options, expected) => {
    expect(await lastValueFrom(dates(options).pipe(toArray()))).toEqual(expected);
  });

  it.each([
    ['2026-02-30', 'must be a day'],
    ['2026-02-03/2026-02-01', 'must begin with the earlier day'],
    ['0001-01-01/9999-01-01', 'must have at most 10000 days'],
  ])('refuses %s', (days, message) => {
    expect(() => dates({ days })).toThrow(`dates: days ${message}`);
  });

  it('end so many days later, in the form that they have', () => {
    expect([dayAfter('2026-12-30', 3), dayAfter('20280228', 1)]).toEqual(['2027-01-02', '20280229']);
    expect(() => dayAfter('soon', 1)).toThrow("dayAfter: day must be a day such as 2020-01-31, not 'soon'");
  });
});
