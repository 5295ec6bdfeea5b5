import { from, merge, of, type Observable } from 'rxjs';
import type { Client } from '../../src/createClient.ts';
import { items, offsetPages, placeReviews } from '../../src/operators.ts';
import { toCsv, toDuckdb, toFile, toJsonl, toParquet, toPostgres, toSqlite } from '../../src/sinks/index.ts';

declare const client: Client;
const pages$ = of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch));
const rows$ = pages$.pipe(items());

// Rows of any kind.
rows$.pipe(toCsv('x.csv')).subscribe((report) => report.rows.toFixed());
rows$.pipe(toPostgres({ table: 'x' })).subscribe((report) => report.rejected.toFixed());
merge(rows$, from([{ title: 'x' }, { name: 'y' }])).pipe(toJsonl('x.jsonl'));
of(1, 'text', null).pipe(toJsonl('x.jsonl'));
declare const unknown$: Observable<unknown>;
unknown$.pipe(toJsonl('x.jsonl'));
// oxlint-disable-next-line typescript/no-explicit-any
declare const any$: Observable<any>;
any$.pipe(toJsonl('x.jsonl'));
export const save = <Row extends object>(row$: Observable<Row>) => row$.pipe(toJsonl<Row>('x.jsonl'));
of({ operation: 'sum', items: [1] }).pipe(toJsonl('x.jsonl'));

// Pages need items() first.
// @ts-expect-error
pages$.pipe(toJsonl('x.jsonl'));
// @ts-expect-error
pages$.pipe(toCsv('x.csv'));
// @ts-expect-error
pages$.pipe(toParquet('x.parquet'));
// @ts-expect-error
pages$.pipe(toDuckdb('x.duckdb'));
// @ts-expect-error
pages$.pipe(toSqlite('x.sqlite'));
// @ts-expect-error
pages$.pipe(toFile('x.csv'));
// @ts-expect-error
pages$.pipe(toPostgres({ table: 'x' }));
// @ts-expect-error also those that a fan-out requested
rows$.pipe(placeReviews(client), toJsonl('x.jsonl'));
// @ts-expect-error in one pipe
of({ query: 'coffee' }).pipe(offsetPages(client.mapsSearch), toJsonl('x.jsonl'));
