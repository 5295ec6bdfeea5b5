import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Saturation } from '../../../operators/estimate/Saturation.ts';
import { measured, percent } from './measured.ts';
import { worldOf, type World } from './worlds.ts';

const pageSize = 20;
const median = (numbers: readonly number[]): number => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)]!;

/** The share of requests that a stop saves in a world, and of the rows that it loses. */
function stopped({ queries }: World, all: number, newRows: number, over: number): { readonly saved: number; readonly lost: number } {
  const saturation = new Saturation({ newRows, over });
  const seen = new Set<number>();
  let [sent, whole] = [0, 0];
  for (const rows of queries) {
    for (let from = 0; from < rows.length; from += pageSize) {
      whole += 1;
      if (saturation.is) continue;
      sent += 1;
      const before = seen.size;
      const page = rows.slice(from, from + pageSize);
      for (const row of page) seen.add(row);
      saturation.add(page.length, seen.size - before);
    }
  }
  return { saved: 1 - sent / whole, lost: 1 - seen.size / all };
}

describe('a stop at 2 % new rows of the last 50 requests', () => {
  const worlds = Array.from({ length: 200 }, (_, seed) => worldOf(seed, { name: 'overlap', match: [0.4, 0.9], fame: 1, topics: 1 }));
  // each row comes eight times or more, and there are enough requests to stop
  const overlapping = worlds.flatMap((world) => {
    const rows = world.queries.flat();
    const all = rows.length > 200 * pageSize ? new Set(rows).size : 0;
    return all > 0 && rows.length >= 8 * all ? [{ world, all }] : [];
  });
  const stops = [0.005, 0.01, 0.02, 0.05, 0.1].map((newRows): Stop => {
    const results = overlapping.map(({ world, all }) => stopped(world, all, newRows, 50));
    return { newRows, saved: median(results.map(({ saved }) => saved)), lost: median(results.map(({ lost }) => lost)) };
  });
  const { saved, lost } = stops[2]!;

  it('saves at least half of the requests where terms overlap much, for few of the rows', () => {
    expect(overlapping.length).toBeGreaterThan(30);
    expect(saved).toBeGreaterThanOrEqual(0.5);
    expect(lost).toBeLessThanOrEqual(0.05);
  });

  it('is drawn in the guide, with its figures', async () => {
    await expect(drawStops(stops)).toMatchFileSnapshot(fileURLToPath(new URL('../../../docs/stop.svg', import.meta.url)));
    const figures = `The picture shows the median of ${overlapping.length} worlds in which each row comes eight times or more, with \`over\` 50. At 2 % a stop saves ${percent(saved)} of the\nrequests and loses ${percent(lost, 1)} of the rows.`;
    expect(await measured('stop', figures)).toBe(figures);
  });
});

interface Stop {
  readonly newRows: number;
  readonly saved: number;
  readonly lost: number;
}

/** Requests saved, from 50 % up, against rows lost. */
function drawStops(stops: readonly Stop[]): string {
  const style =
    'text{font:13px system-ui,sans-serif;fill:#24292f}.n{fill:#57606a}circle{fill:#0969da}polyline{fill:none;stroke:#0969da;stroke-width:2}path{stroke:#8c959f;fill:none}@media(prefers-color-scheme:dark){text{fill:#e6edf3}.n{fill:#8d96a0}circle{fill:#4493f8}polyline{stroke:#4493f8}}';
  const at = ({ saved, lost }: Omit<Stop, 'newRows'>): readonly [x: number, y: number] => [
    Math.round(60 + 4500 * lost),
    Math.round(250 - 500 * (saved - 0.5)),
  ];
  const points = stops.map((stop) => {
    const [x, y] = at(stop);
    return `<circle cx="${x}" cy="${y}" r="4"/><text x="${x + 8}" y="${y + 16}">${stop.newRows * 100} %</text>`;
  });
  const below = [0, 2, 4, 6, 8, 10, 12].map(
    (lost) => `<text class="n" x="${at({ saved: 0.5, lost: lost / 100 })[0]}" y="272" text-anchor="middle">${lost} %</text>`,
  );
  const beside = [50, 60, 70, 80, 90].map(
    (saved) => `<text class="n" x="52" y="${at({ saved: saved / 100, lost: 0 })[1] + 4}" text-anchor="end">${saved} %</text>`,
  );
  return `${[
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 310" role="img" aria-label="Requests saved against rows lost, by newRows of stop">',
    `<style>${style}</style>`,
    '<text x="14" y="24">Requests saved, by the share of new rows at which a stage stops</text>',
    '<path d="M60 45V250H610"/>',
    `<polyline points="${stops.map((stop) => at(stop).join(',')).join(' ')}"/>`,
    ...points,
    ...below,
    ...beside,
    '<text class="n" x="335" y="298" text-anchor="middle">rows lost</text>',
    '</svg>',
  ].join('\n')}\n`;
}
