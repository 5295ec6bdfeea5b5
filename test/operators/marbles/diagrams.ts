import { defer, map, merge, mergeMap, of, Subject, tap, type Observable } from 'rxjs';
import {
  aiOverviews,
  authorProfiles,
  backoff,
  createConcurrencyLimit,
  createRateLimit,
  distinctBy,
  expandCursor,
  fanOut,
  items,
  iterate,
  limitConcurrency,
  limitRate,
  offsetPages,
  placeReviews,
  mergeBounded,
  type PageLike,
} from '../../../src/operators.ts';
import { cursorPaging, fakeFactory, offsetPaging, page, type FakePage, type FakeQuery } from '../fakeFactory.ts';
import type { Diagram, Stage } from './Diagram.ts';
import { onceDiagrams } from './onceDiagrams.ts';

/** A page that shows as one letter; `next` is its token, and 'x' comes with no rows. */
const lettered = (query: object, letter: string, next?: string): FakePage =>
  page(query, { rows: letter === 'x' ? [] : [{ letter }], data: { letter, ...(next === undefined ? {} : { next }) } });
const letterOf = (shown: PageLike): string => (shown.data as { letter: string }).letter;

const request = (stage: Stage, query: object, label: string, next?: string): Observable<FakePage> =>
  stage.line(label).pipe(map((letter) => lettered(query, letter, next)));

export const diagrams: readonly Diagram[] = [
  {
    operator: 'expandCursor',
    call: 'expandCursor(client.mapsReviews)',
    source: { label: 'queries', marbles: 'P------Q-----|' },
    inner: [
      { label: 'P, page 1', marbles: '--(a|)', subscribed: '^-!' },
      { label: 'P, page 2', marbles: '--(b|)', subscribed: '--^-!' },
      { label: 'P, page 3', marbles: '--(c|)', subscribed: '----^-!' },
      { label: 'Q, page 1', marbles: '---(d|)', subscribed: '-------^--!' },
    ],
    output: '--a-b-c---d--|',
    run(stage) {
      const factory = fakeFactory(cursorPaging, ({ q, cursor }) => {
        const number = Number(cursor ?? 1);
        return request(stage, { q, cursor }, `${q as string}, page ${number}`, q === 'P' && number < 3 ? String(number + 1) : undefined);
      });
      return stage.line('queries').pipe(
        map((q) => ({ q })),
        expandCursor(factory),
        map(letterOf),
      );
    },
  },
  {
    operator: 'offsetPages',
    call: 'offsetPages(client.mapsSearch, { lookahead: 2 })',
    source: { label: 'queries', marbles: 'P|' },
    inner: [
      { label: 'page 0', marbles: '---(a|)', subscribed: '^--!' },
      { label: 'page 1', marbles: '-(b|)', subscribed: '^!' },
      { label: 'page 2', marbles: '-------(c|)', subscribed: '---^------!' },
      { label: 'page 3', marbles: '---------(x|)', subscribed: '---^--------!' },
      { label: 'page 4', marbles: '-----(e|)', subscribed: '----------^-!' },
    ],
    output: '---(ab)---c-(x|)',
    run(stage) {
      const factory = fakeFactory(offsetPaging, (query) => request(stage, query, `page ${(query['page'] ?? 0) as number}`));
      return stage.line('queries').pipe(
        map((q) => ({ q })),
        offsetPages(factory, { lookahead: 2 }),
        map(letterOf),
      );
    },
  },
  {
    operator: 'items',
    call: 'items()',
    source: { label: 'pages', marbles: 'P-----Q---|' },
    inner: [],
    output: '(abc)-(d)-|',
    run: (stage) =>
      stage.line('pages').pipe(
        map((name) => page({}, { rows: (name === 'P' ? ['a', 'b', 'c'] : ['d']).map((letter) => ({ letter })) })),
        items(),
        map(({ letter }) => letter as string),
      ),
  },
  {
    operator: 'fanOut',
    call: "fanOut((row) => …, { by: 'id', concurrency: 2 })",
    source: { label: 'rows', marbles: 'a-b-c-a-|' },
    inner: [
      { label: 'stream of a', marbles: '-----(A|)', subscribed: '^----!' },
      { label: 'stream of b', marbles: '-----(B|)', subscribed: '--^----!' },
      { label: 'stream of c', marbles: '-----(C|)', subscribed: '-----^----!' },
    ],
    output: '-----A-B--(C|)',
    run: (stage) =>
      stage.line('rows').pipe(
        map((id) => ({ id })),
        fanOut(({ id }) => stage.line(`stream of ${id}`), { by: 'id', concurrency: 2 }),
      ),
  },
  {
    operator: 'mergeBounded',
    call: 'mergeBounded((value) => …, { concurrency: 1 })',
    source: { label: 'values', marbles: 'ab--------|' },
    inner: [
      { label: 'stream of a', marbles: '--A-D|', subscribed: '^----!' },
      { label: 'stream of b', marbles: '---B|', subscribed: '-----^---!' },
    ],
    output: '--A-D---B-|',
    run: (marbles) => marbles.line('values').pipe(mergeBounded((value) => marbles.line(`stream of ${value}`), { concurrency: 1 })),
  },
  {
    operator: 'placeReviews',
    call: 'placeReviews(client)',
    source: { label: 'places', marbles: 'P--Q--P---|' },
    inner: [
      { label: 'P, page 1', marbles: '--(a|)', subscribed: '^-!' },
      { label: 'P, page 2', marbles: '--(b|)', subscribed: '--^-!' },
      { label: 'Q, page 1', marbles: '---(c|)', subscribed: '---^--!' },
    ],
    output: '--a-b-c---|',
    run(stage) {
      const mapsReviews = fakeFactory({ ...cursorPaging }, ({ data_id, cursor }) =>
        request(stage, {}, `${data_id as string}, page ${Number(cursor ?? 1)}`, data_id === 'P' && cursor === undefined ? '2' : undefined),
      );
      return stage.line('places').pipe(
        map((data_id) => ({ data_id })),
        placeReviews({ mapsReviews }),
        map(letterOf),
      );
    },
  },
  {
    operator: 'authorProfiles',
    call: 'authorProfiles(client)',
    source: { label: 'works, by 1, 2 and by 2, 3', marbles: 'v---w---|' },
    inner: [
      { label: 'author 1', marbles: '--(a|)', subscribed: '^-!' },
      { label: 'author 2', marbles: '---(b|)', subscribed: '^--!' },
      { label: 'author 3', marbles: '--(c|)', subscribed: '----^-!' },
    ],
    output: '--ab--c-|',
    run: (stage) =>
      stage.line('works, by 1, 2 and by 2, 3').pipe(
        map((work) => ({ authors: (work === 'v' ? ['1', '2'] : ['2', '3']).map((author_id) => ({ author_id })) })),
        authorProfiles({ scholarAuthor: (query: { readonly author_id: string }) => request(stage, query, `author ${query.author_id}`) }),
        map(letterOf),
      ),
  },
  {
    operator: 'aiOverviews',
    call: 'aiOverviews(client)',
    source: { label: 'searches', marbles: 'S---T--------|' },
    inner: [
      { label: 'overview of S', marbles: '--(a|)', subscribed: '^-!' },
      { label: 'overview of T', marbles: '--#', subscribed: '----^-!' },
      { label: 'T once more', marbles: '-(U|)', subscribed: '------^!' },
      { label: 'overview of U', marbles: '--(b|)', subscribed: '-------^-!' },
    ],
    output: '--a------b---|',
    run(stage) {
      const search = (letter: string): FakePage & { data: { ai_overview_url: string } } => ({
        ...page({ q: letter }, { rows: [] }),
        data: { ai_overview_url: letter },
      });
      return stage.line('searches').pipe(
        map(search),
        aiOverviews(
          {
            webSearch: (query) => stage.line(`${(query as FakeQuery)['q'] as string} once more`).pipe(map(search)),
            aiOverview: (query) => request(stage, query, `overview of ${query.url}`),
          },
          { expired: () => true },
        ),
        map(letterOf),
      );
    },
  },
  {
    operator: 'distinctBy',
    call: "distinctBy('id')",
    source: { label: 'rows', marbles: 'a-b-a-c-b-|' },
    inner: [],
    output: 'a-b---c---|',
    run: (stage) =>
      stage.line('rows').pipe(
        map((id) => ({ id })),
        distinctBy('id'),
        map(({ id }) => id),
      ),
  },
  {
    operator: 'limitConcurrency',
    call: 'limitConcurrency(one)   // shared by both streams',
    source: { label: 'stream 1', marbles: '--a-b|', subscribed: '^----!' },
    inner: [{ label: 'stream 2', marbles: '--c|', subscribed: '-----^--!' }],
    output: '--a-b--c|',
    run(stage) {
      const one = createConcurrencyLimit(1);
      return merge(stage.line('stream 1').pipe(limitConcurrency(one)), stage.line('stream 2').pipe(limitConcurrency(one)));
    },
  },
  {
    operator: 'limitRate',
    call: 'limitRate({ requests: 2, perMs: 6 })',
    source: { label: 'values', marbles: '(abc)---|' },
    inner: [
      { label: 'stream of a', marbles: '--(A|)', subscribed: '^-!' },
      { label: 'stream of b', marbles: '---(B|)', subscribed: '^--!' },
      { label: 'stream of c', marbles: '---(C|)', subscribed: '------^--!' },
    ],
    output: '--AB-----(C|)',
    run(stage) {
      const limit = createRateLimit({ requests: 2, perMs: 6, scheduler: stage.scheduler });
      return stage.line('values').pipe(mergeMap((value) => stage.line(`stream of ${value}`).pipe(limitRate(limit))));
    },
  },
  {
    operator: 'backoff',
    call: 'backoff({ baseMs: 4, random: () => 0.5 })',
    source: { label: 'attempt 1', marbles: '-#', subscribed: '^!' },
    inner: [
      { label: 'attempt 2', marbles: '--#', subscribed: '---^-!' },
      { label: 'attempt 3', marbles: '--(a|)', subscribed: '---------^-!' },
    ],
    output: '-----------(a|)',
    run(stage) {
      let attempt = 0;
      return defer(() => stage.line(`attempt ${(attempt += 1)}`)).pipe(
        backoff({ baseMs: 4, random: () => 0.5, scheduler: stage.scheduler }),
      );
    },
  },
  {
    operator: 'iterate',
    call: 'for await (const page of iterate(pages$))',
    source: { label: 'turns of the loop', marbles: '1-----2----3--|' },
    inner: [
      { label: 'page 1', marbles: '--(a|)', subscribed: '^-!' },
      { label: 'page 2', marbles: '--(b|)', subscribed: '------^-!' },
      { label: 'page 3', marbles: '--(c|)', subscribed: '-----------^-!' },
    ],
    output: '--a-----b----c|',
    run(stage) {
      const factory = fakeFactory(cursorPaging, (query) => {
        const number = Number(query['cursor'] ?? 1);
        return request(stage, query, `page ${number}`, number < 3 ? String(number + 1) : undefined);
      });
      const shown = new Subject<string>();
      const pages = of({}).pipe(
        expandCursor(factory),
        tap((made) => shown.next(letterOf(made))),
      );
      const loop = iterate(pages)[Symbol.asyncIterator]();
      stage.line('turns of the loop').subscribe({ next: () => void loop.next(), complete: () => shown.complete() });
      return shown;
    },
  },
  ...onceDiagrams,
];
