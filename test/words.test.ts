import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { clientEvents } from '../src/client/events/clientEvents.ts';
import { counterList } from '../src/flow/core/stageCounters.ts';
import { adviceFor } from '../src/flow/report/failuresByKind.ts';
import { completeness } from '../src/flow/report/stageTable.ts';
import { outcomes, type Outcome } from '../src/flow/run/outcomes.ts';
import { stageProgress } from './flow/report/stageProgress.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Other names for "not all there" than the four of a query and the two of a run. */
const others = /\b(suspect(s|ed)?|saturat\w+|nearly|unconfirmed|inconclusive|second looks?|claims?|claimed)\b/i;
/** The messages of these rooms reach users. */
const told = ['src/flow', 'src/cli', 'src/show', 'src/client', 'src/bullmq', 'operators'];

/** A page without its code, in which names of programs stand. */
function proseOf(page: string): string {
  return page
    .replaceAll(/```[^]*?```/g, '')
    .replaceAll(/`[^`\n]*`/g, '')
    .replaceAll(/\]\([^)]*\)/g, ']');
}

describe('the words for what is not all there', () => {
  it('are four for a query, and two more for a run', () => {
    expect(Object.keys(outcomes)).toEqual(['interrupted', 'failed', 'doubtful', 'short', 'capped', 'complete']);
  });

  it('stand in front of their reason', () => {
    for (const outcome of Object.keys(outcomes) as Outcome[])
      expect(completeness(outcome, [stageProgress('places', { rows: 3 })])).toMatch(new RegExp(`^(It is )?${outcome}: .*\\.$`, 'i'));
  });

  it('are the only ones in what reports and summaries say', () => {
    const notes = counterList.flatMap(({ column = '', note = [] }) => [column, ...note]);
    const lines = Object.values(clientEvents).map(({ about }) => about);
    for (const text of [...notes, ...lines, ...Object.values(outcomes).map(({ means }) => means)]) expect(text).not.toMatch(others);
    for (const folder of told)
      for (const file of readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))) {
        const text = readFileSync(join(root, folder, file), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '');
        for (const [, quoted] of text.matchAll(/['`]([^'`\n]*)['`]/g))
          expect([file, quoted!.includes(' ') && others.test(quoted!.replaceAll(/\$\{[^}]*\}/g, ''))]).toEqual([file, false]);
      }
  });

  it('are not names of events and counters either, which stand in summaries and in datapackage.json', () => {
    const names = [...Object.keys(clientEvents), ...counterList.map(({ name }) => name)];
    // How many rows the service says there are stands beside how many came: a figure, and no state of a query.
    expect(names.filter((name) => name !== 'claimed' && others.test(name.replaceAll(/[A-Z]/g, (letter) => ` ${letter}`)))).toEqual([]);
  });

  it.each([
    'README.md',
    'llms.txt',
    'skills/trawler/SKILL.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
    ...['docs/reference', 'examples'].flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md') && !name.includes('node_modules'))
        .map((name) => `${folder}/${name}`),
    ),
  ])('are the only ones in %s', (page) => {
    const found = proseOf(readFileSync(join(root, page), 'utf8')).split('\n').filter((line) => others.test(line)); // prettier-ignore
    expect(found).toEqual([]);
  });

  it.each([
    ['mapsReviews: HTTP 404', /wrong or gone/],
    ['search: HTTP 429', /--rate/],
    ['search: connect ECONNREFUSED 127.0.0.1:1', /Retry later/],
    ['search: something else', /^$/],
  ])('come with what a failure means: %s', (message, advice) => {
    expect(adviceFor(message)).toMatch(advice);
  });
});
