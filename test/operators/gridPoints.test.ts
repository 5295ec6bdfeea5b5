import { describe, expect, it } from 'vitest';
import { dates, dayAfter, gridPoints, type GridPoint, type GridPointsOptions, type Within } from '../../operators/index.ts';
import { areaOf } from '../../operators/split/areaOf.ts';
import { seeded } from '../files/seeded.ts';

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
  'far in the north': { within: [10, 78, 30, 80], every: '20km' },
  'with a hole': { within: { type: 'Polygon', coordinates: [ring(8, 47, 8.4, 47.3), ring(8.1, 47.1, 8.3, 47.2)] }, every: '2km' },
  'two far parts': {
    within: { type: 'MultiPolygon', coordinates: [[ring(2.2, 48.8, 2.4, 48.9)], [ring(37.5, 55.7, 37.7, 55.8)]] },
    every: '1km',
  },
};

describe('gridPoints', () => {
  it.each(Object.entries(areas))(
    'has each point once, no two too close, and no gap: %s',
    (_, { within, every }) => {
      const points = gridPoints({ within, every });
      const everyKm = every.endsWith('km') ? Number.parseFloat(every) : Number.parseFloat(every) / 1000;
      const area = areaOf('test', within);
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

  it.each([
    [1, 1, 1],
    [9, 3, 3],
    [49, 7, 7],
    [50, 9, 5],
  ])('has at most %i points in rows and columns: %i by %i', (points, rows, columns) => {
    const { within } = areas['a city']!;
    const found = gridPoints({ within, points });
    expect(found).toHaveLength(rows * columns);
    expect(new Set(found.map(({ latitude }) => latitude)).size).toBe(rows);
    expect(new Set(found.map(({ longitude }) => longitude)).size).toBe(columns);
  });

  it('leaves out those of the rectangle that are outside of the area', () => {
    const { within } = areas['a circle']!;
    const found = gridPoints({ within, points: 100 });
    expect(found.length).toBeGreaterThan(70);
    expect(found.length).toBeLessThan(90);
    const area = areaOf('test', within);
    expect(found.every(({ latitude, longitude }) => area.contains(longitude, latitude))).toBe(true);
  });

  it('has each point in the middle of its part', () => {
    const points = gridPoints({ within: [-0.03, -0.03, 0.03, 0.03], points: 9, zoom: 17 });
    expect(points[0]).toEqual({ latitude: 0.02, longitude: -0.02, ll: '@0.0200000,-0.0200000,17z' });
    expect(points[4]).toEqual({ latitude: 0, longitude: 0, ll: '@0.0000000,0.0000000,17z' });
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
  ] as const)('are the days of %j', (options, expected) => {
    expect(dates(options)).toEqual(expected);
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
