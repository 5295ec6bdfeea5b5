import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';

const read = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');
const page = read('docs/should-i-use-this.md');
const tables = read('bench/README.md');

/** The medians of a row in the tables below a heading. */
function row(heading: string, name: string, table = 0): readonly number[] {
  const [, part = ''] = tables.split(`${heading}\n`);
  const lines = part.split('\n').filter((line) => line.startsWith(`| ${name} `));
  return lines[table]!.split('|')
    .slice(2, -1)
    .map((cell) => Number.parseFloat(cell));
}

describe('Should I use this?', () => {
  const sizes = '### Sizes, drift and requests in flight';
  const crawl = '## Crawl';
  it.each<[string, number, number, number]>([
    ['less than a quarter of the CPU', row(crawl, 'trawler, pipes')[0]! / row(crawl, 'Crawlee, BasicCrawler + fetch')[0]!, 0.1, 0.25],
    ['about 2.3 times', row(crawl, 'trawler, a flow over BullMQ')[0]!, 2.1, 2.5],
    ['pipes take up to twice as much', row(sizes, '3 kB', 1)[1]!, 1.5, 2.05],
    ['a flow up to 2.5 times', row(sizes, '3 kB', 1)[3]!, 2, 2.55],
    ['pipes to JSONL take about 0.6', row(sizes, '100 kB')[2]!, 0.5, 0.7],
  ])('says "%s", as the benchmarks do', (words, measured, from, to) => {
    expect(page).toContain(words);
    expect(measured).toBeGreaterThanOrEqual(from);
    expect(measured).toBeLessThanOrEqual(to);
  });
});
