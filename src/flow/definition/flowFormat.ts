import { z } from 'zod';
import { once } from '../../../operators/kit/once.ts';
import { instead } from '../../../operators/check/nearestName.ts';
import type { QueryValue, Service } from '../../contract/index.ts';
import { endingsInWords, fileKindOf } from '../../sinks/formats/fileFormats.ts';

const words = (names: readonly string[]): string => {
  const quoted = names.map((name) => `'${name}'`);
  return quoted.length === 1 ? quoted[0]! : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`;
};
const zoomWords = 'a whole number from 0 to 22';
const lengthOfTime = "a length of time such as '30m', '12h' or '7d'";
const timeZoneWords = "a time zone such as 'Europe/Berlin'";

function isTimeZone(name: string): boolean {
  try {
    return Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}

// What keys take. Each says in `error` what it takes, for faults.
const text = (error: string) => z.string({ error }).min(1, { error });
const whole = (error = 'a whole number from 1 on', from = 1) => z.int({ error }).min(from, { error });
const number = (error = 'a number from 0 on') => z.number({ error }).min(0, { error });
const share = (error = 'a share from 0 to 1') => number(error).max(1, { error });
const choice = <const Name extends string>(...names: readonly Name[]) => z.enum(names, { error: words(names) });
const lengthLike = (pattern: RegExp) => z.string({ error: lengthOfTime }).regex(pattern, { error: lengthOfTime });
const several = (error: string) => z.array(text(error), { error }).min(1, { error });
const oneOrMore = (error: string) => z.union([text(error), several(error)], { error });
const maybe = <S extends z.ZodType>(schema: S, about: string) => schema.optional().describe(about);

/**
 * The format of a flow, declared once. The types below, the checks, the messages of faults (`error`) and the JSON
 * Schema (`describe`) all come from here. Made when it is first needed: that takes longer than loading all of trawler.
 */
export const flowFormats = once(() => {
  const input = z.union([z.string(), z.number(), z.boolean()], { error: 'a text, a number, true or false' });
  const inputs = z.union([z.string(), z.number(), z.boolean(), z.array(z.unknown()).min(1), z.record(z.string(), z.unknown())], {
    error: 'a text, a number, true, false, an object, or a list of those',
  });
  const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
  const comparable = z.union([z.number(), z.string()], { error: 'a number or a text' });
  const comparisonFormat = z.strictObject({
    '=': maybe(scalar, 'Equal to this.'),
    '!=': maybe(scalar, 'Not equal to this.'),
    '>': maybe(comparable, 'Above this. Numbers and texts, also dates as text.'),
    '>=': maybe(comparable, 'This or above.'),
    '<': maybe(comparable, 'Below this.'),
    '<=': maybe(comparable, 'This or below.'),
    exists: maybe(z.boolean(), 'Whether the field is there, and neither null nor an empty text, list or object.'),
    contains: maybe(text('a text'), 'Has this text in it, whether its letters are large or small.'),
    domain: maybe(
      text('a site such as example.com').regex(/^[^\s/?#]+$/, { error: 'a site such as example.com' }),
      'An address of this site or of one below it: example.com is also https://www.example.com/page.',
    ),
  });
  const conditionWords = 'a value, a list of values, or comparisons such as {">=": 4}';
  const conditions = z.record(z.string(), z.union([scalar, z.array(scalar), comparisonFormat], { error: conditionWords }), {
    error: `an object of fields; each ${conditionWords}`,
  });
  const pagesWords = "a whole number from 1 on, or 'all'";
  const columnsWords = 'a list of columns, each a dotted path or {"path", "header"}';
  const toWords = 'a file, a destination, an object with a file, or a list of those';
  const path = text('a dotted path');

  const toleranceFormat = z.strictObject(
    {
      share: maybe(share(), 'A share of the rows that the service says there are. Left out: 0.05.'),
      rows: maybe(whole('a whole number from 0 on', 0), 'A number of rows. The larger of the two counts. Left out: 3.'),
    },
    { error: 'an object such as {"share": 0.05, "rows": 3}' },
  );
  const boundsFormat = z.strictObject(
    { '>=': maybe(number(), 'At least this number.'), '<=': maybe(number(), 'At most this number.') },
    { error: 'an object such as {">=": 1000} or {">=": 1, "<=": 500}' },
  );
  const expectFormat = z.strictObject(
    {
      rows: maybe(boundsFormat, 'Rows that the stage writes.'),
      filled: maybe(
        z.record(z.string(), share(), { error: 'an object of fields; each a share from 0 to 1' }),
        'The share of rows in which a field holds something, at least.',
      ),
      rowsPerQuery: maybe(boundsFormat, 'Rows of each query that ended.'),
      vsLast: maybe(share(), 'Rows, at least, as a share of those of the run before in the same folder.'),
    },
    { error: 'an object with rows, filled, rowsPerQuery or vsLast' },
  );

  const withinFormat = z.union([text('an area'), z.array(z.number()).length(4), z.looseObject({})], {
    error: 'a .geojson file, GeoJSON, [west, south, east, north], or $.field',
  });
  const withinWords =
    'A .geojson file beside the flow, GeoJSON itself, [west, south, east, north], or a field of the seed that holds one of these.';
  const gridFormat = z.strictObject(
    {
      within: withinFormat.describe(withinWords),
      every: maybe(text("a distance such as '1km' or '500m'"), "How far one point is from the next: '1km', '500m'. Give this or points."),
      points: maybe(whole(), 'How many points there are at most, in rows and columns over the area.'),
      zoom: maybe(
        z.int({ error: zoomWords }).min(0, { error: zoomWords }).max(22, { error: zoomWords }),
        'The zoom to search at. Left out: 15.',
      ),
    },
    { error: 'an object with within, and every or points' },
  );
  const coverFormat = z.strictObject(
    {
      within: withinFormat.describe(withinWords),
      zoom: maybe(
        z.array(z.int().min(0).max(22)).length(2),
        'The least and the greatest zoom to search at. Left out: what the operation says.',
      ),
      clip: maybe(z.boolean(), 'Leave out rows outside the area. Left out: true.'),
      full: maybe(whole(), 'The number of rows that may mean that there are more. Left out: what the operation says.'),
    },
    { error: 'an object with within' },
  );
  const splitFormat = z.strictObject(
    {
      by: maybe(
        text('a parameter, year or range'),
        "'range', with params; 'year', where the operation knows it; or the parameter that takes the values. Left out: days, where " +
          'the operation takes ${from} and ${to}.',
      ),
      values: maybe(
        z.union([z.array(z.union([z.string(), z.number(), z.boolean()])).min(1), text('a dotted path')], {
          error: 'a list of values, or the dotted path of the values in the response',
        }),
        "A narrower query for each of these, or for each value that the response lists at this path: 'chips[].id'.",
      ),
      params: maybe(
        z.array(text('a parameter'), { error: 'two parameters' }).length(2, { error: 'two parameters' }),
        'For a range of numbers: the parameters of the lower and of the upper bound.',
      ),
      from: maybe(
        z.union([z.number(), z.string()], { error: 'a number or a day' }),
        'Where the range begins: a number, or a day such as 2020-01-31.',
      ),
      to: maybe(
        z.union([z.number(), z.string()], { error: 'a number or a day' }),
        'Where the range ends: a number, or the last day. Left out: for dates, the moment at which the run began.',
      ),
      step: maybe(
        z.number({ error: 'a number above 0' }).gt(0, { error: 'a number above 0' }),
        'The distance from one number to the next: 0.01 for prices with cents. Left out: 1.',
      ),
      upper: maybe(
        choice('included', 'excluded'),
        "For a range of numbers: whether the service returns rows that lie on the upper bound. Left out: 'included'.",
      ),
      full: maybe(whole(), 'The number of rows that may mean that there are more. Left out: what the operation says.'),
    },
    { error: 'an object such as {"from": "2020-01-31"} or {"by": "year"}' },
  );
  const columnFormat = z.strictObject(
    {
      path: path.describe('The field, as a dotted path.'),
      header: maybe(text('a text that is not empty'), 'Its heading. Left out: the path.'),
    },
    { error: 'an object such as {"path": "rating", "header": "Stars"}' },
  );
  const outputFormat = z.strictObject(
    {
      file: text('the name of a file').describe('The file, in the output folder.'),
      columns: maybe(
        z.array(z.union([path, columnFormat]), { error: columnsWords }).min(1, { error: columnsWords }),
        'The columns of a table, in this order. Left out: the documented fields, or those of pick.',
      ),
      extra: maybe(z.boolean(), 'Adds a column _extra with the fields that have no column, as JSON. Left out: false.'),
      delimiter: maybe(text('one character'), "CSV: what stands between cells: ';'. Left out: a comma, or a tab in .tsv."),
      quote: maybe(choice('"', "'"), 'CSV: what stands around cells that need it. Left out: ".'),
      eol: maybe(choice('\n', '\r\n'), 'CSV: what ends a row. Left out: a line feed.'),
      null: maybe(z.string(), 'CSV: what is written for null and for a missing field. Left out: nothing.'),
      bom: maybe(z.boolean(), 'CSV: begin with a byte order mark, which Excel needs to see UTF-8. Left out: false.'),
      formulas: maybe(choice('escape', 'keep'), "CSV: 'escape' puts an apostrophe before what a spreadsheet may run. Left out: 'escape'."),
      table: maybe(text('the name of a table'), 'DuckDB and SQLite: the name of the table. Left out: the name of the stage.'),
      index: maybe(
        z.array(text('a column'), { error: 'a list of columns' }),
        'DuckDB and SQLite: the columns to index; [] for none. Left out: the fields of by, or the first id.',
      ),
    },
    { error: 'an object with a file' },
  );
  const sinceFormat = z.strictObject(
    {
      field: maybe(path, 'The field that says when a row is from. Left out: as the operation says.'),
      id: maybe(path, 'The field that tells rows apart. Left out: as the operation says.'),
      lookback: maybe(
        lengthLike(/^\d+(m|h|d|w)$/),
        'How far before the newest row an update still looks for late and edited rows. Left out: 7d.',
      ),
      fullEvery: maybe(
        lengthLike(/^\d+(m|h|d|w)$/),
        'How often an update requests everything: only then it sees what is gone. Left out: never.',
      ),
      unless: maybe(path, 'The query of a row is skipped while this field of the row is unchanged: $.reviews.'),
    },
    { error: 'an object such as {"lookback": "7d"}' },
  );

  const services = oneOrMore('a vendor such as serper, a file beside the flow such as ./books.mjs, or a list of these');
  const stageFormat = z.strictObject(
    {
      service: maybe(services, "The service of this stage, or several in the order in which they are asked. Left out: the flow's."),
      call: text('the name of an operation').describe('An operation, or a ready fan-out such as placeReviews.'),
      each: maybe(
        oneOrMore("a stage, several stages, a seed file, or '-'"),
        "What the stage runs over: a stage, several stages, one seed file (.csv, .tsv or .jsonl), or '-' for standard input. Left out: " +
          'it runs once.',
      ),
      when: maybe(
        conditions,
        'Only rows that fulfil all of these conditions lead to a query. They are written in any case. Left out: all rows.',
      ),
      with: maybe(
        z.record(z.string(), inputs, {
          error: 'an object of parameters; each a text, a number, true, false, an object, or a list of those',
        }),
        'The query, in the names of the service. A list runs over its values, or is the value of a parameter that takes a list; $.field ' +
          'reads the row; ${$.field}, ${env.NAME}, ${now} and ${today} stand inside other text. Days: {"days": "2026-12-01/2027-02-28", ' +
          '"every": "1d"}, and {"after": "check_in_date", "days": 2} for the end of a stay. Left out: {}.',
      ),
      pages: maybe(
        z.union([whole(pagesWords), z.literal('all')], { error: pagesWords }),
        "The page limit of one query, or 'all'. Left out: 1 where pages are paid for, else all.",
      ),
      limit: maybe(whole(), 'The row limit of one query. Left out: no limit.'),
      rows: maybe(path, "Another list of the response, as a dotted path. Left out: the operation's own list."),
      missing: maybe(
        choice('empty'),
        "What a response without the list means: that there are no rows ('empty'). Left out: it is no page, so its query fails.",
      ),
      keep: maybe(
        z.record(z.string(), input, { error: "an object of columns; each '$.field', '$query.parameter' or a constant" }),
        'Columns copied from the row that the stage runs over, or from its query, in names that its own rows don\'t have: {"place": ' +
          '"$.title", "night": "$query.check_in_date"}. Left out: none.',
      ),
      where: maybe(
        conditions,
        'Only rows that fulfil all of these conditions. Other rows are neither written nor run over. Left out: all rows.',
      ),
      until: maybe(
        conditions,
        'A query ends at its first row that fulfils all of these conditions, and no further page of it is requested: {"link": ' +
          '{"domain": "example.com"}}. Left out: it is walked as far as pages and limit say.',
      ),
      pick: maybe(
        several('a list of fields'),
        'Only these fields are written, and the columns of keep. With ! before each: all but these. Left out: all fields.',
      ),
      by: maybe(
        oneOrMore('a field, or a list of fields'),
        'The fields that identify a row. Of equal rows the first is kept. Rows in which all of them are empty are equal only if they ' +
          'are the same throughout. Left out: all rows are kept.',
      ),
      to: maybe(
        z.union(
          [text(toWords), outputFormat, z.array(z.union([text(toWords), outputFormat]), { error: toWords }).min(1, { error: toWords })],
          {
            error: toWords,
          },
        ),
        `A file or several in the output folder: ${endingsInWords()}; or a table: postgres:table, postgres:schema.table. An object says ` +
          `how a file is written: {"file": "places.csv", "delimiter": ";"}. Left out: the rows are used, but not written.`,
      ),
      mode: maybe(
        choice('merge', 'replace'),
        "How rows come into a table: they join those that are there ('merge'), or a new table takes the place of the old one at the end " +
          "('replace'). Left out: 'merge'.",
      ),
      provenance: maybe(z.boolean(), 'Each row says where it comes from, in _source: operation, query, request_id, time. Left out: false.'),
      onError: maybe(
        choice('skip', 'fail'),
        "What a failed query does: it is skipped and listed in failures.jsonl ('skip'), or the run fails with it ('fail'). Left " +
          "out: 'skip'.",
      ),
      tolerance: maybe(
        toleranceFormat,
        'How far below the number that the service gives a query may end and still count as complete. Left out: {"share": 0.05, "rows": ' +
          '3}, whichever is more.',
      ),
      expect: maybe(
        expectFormat,
        'What the rows must be like. If they are not, the stage is doubtful: its files are kept, and the run exits 1. Left out: anything.',
      ),
      cover: maybe(
        coverFormat,
        'An area of the map to search tile by tile, where one search returns only the first rows. Needs no pages. Left out: one search ' +
          'for each query.',
      ),
      grid: maybe(
        gridFormat,
        'Points of an area, each a query of its own: where a business ranks, point by point. Adds the columns point_latitude and ' +
          'point_longitude. Left out: one search for each query.',
      ),
      split: maybe(
        splitFormat,
        'How to narrow a query that returns only the first rows. Needs no pages. Left out: queries are not narrowed.',
      ),
      since: maybe(
        sinceFormat,
        'The rows are ordered in time: the stage is walked newest first, or the service is asked for what changed, and an update ' +
          'requests only what is new. Left out: an update requests everything.',
      ),
      gone: maybe(choice('keep', 'drop'), "Rows that an update doesn't find any more stay in the files, or are dropped. Left out: 'keep'."),
      seen: maybe(
        z.union([z.boolean(), z.literal('series')], { error: "true, false or 'series'" }),
        "Adds the columns first_seen and last_seen. 'series': the rows of each update join those before, and seen_at says which run saw " +
          'them. Left out: false.',
      ),
    },
    { error: 'an object with the keys of a stage' },
  );

  const age = lengthLike(/^\d+(\.\d+)?[smhdw]$/);
  const storeFolder = text('a folder beside the flow, such as responses').regex(
    /^(?![/\\~])(?![A-Za-z]:)(?!(?:.*[/\\])?\.\.(?:[/\\]|$))[^\0]+$/,
    {
      error: 'a folder beside the flow, such as responses',
    },
  );
  const storeFormat = z.strictObject(
    {
      folder: storeFolder.describe('A folder beside the flow.'),
      mode: maybe(
        choice('reuse', 'record', 'replay'),
        "Take what is stored and request the rest; request everything and store it; never send a request. Left out: 'reuse'.",
      ),
      maxAge: maybe(
        z.union([age, z.record(z.string(), age)], { error: lengthOfTime }),
        "Older responses are not taken: '7d', or for each operation by its name, '*' for the others.",
      ),
    },
    { error: 'a folder, or an object with a folder' },
  );

  const columnNames = oneOrMore('a column, or a list of columns');
  const headlineFormat = z.strictObject(
    {
      table: maybe(text('a file that a stage writes'), 'A file as a table: a line for each value of `each`.'),
      series: maybe(text('a file that a stage writes'), 'A file as lines in a chart: one for each value of `each`.'),
      map: maybe(
        text('a file that a stage writes'),
        'The rows of a file where they are, coloured and labelled by `of`: a map for each value of `each`.',
      ),
      title: maybe(text('a text'), 'The heading. Left out: the name of the file.'),
      of: maybe(text('a column'), 'The column whose numbers are shown: "440 USD" is 440. Where several rows have one, the lowest counts.'),
      each: maybe(columnNames, 'The columns that tell one line from another.'),
      average: maybe(text('a column'), 'Of a table, instead of `of`: the column whose average is shown.'),
      share: maybe(columnNames, 'Of a table, instead of `of`: in how many values of these columns a line is found, in the latest run.'),
      over: maybe(text('a column'), 'What the lines of a series go over. Left out: seen_at, the runs.'),
    },
    { error: 'an object with table, series or map' },
  );

  const format = z.strictObject(
    {
      $schema: maybe(z.string(), 'For editors. Trawler ignores it.'),
      name: text('a text that is not empty').describe('What the flow is called in reports. Its output folder has this name, too.'),
      service: maybe(
        services,
        'The service: the name of a vendor, such as serper, or a module beside the flow that exports it. A list: whoever is out (its ' +
          'quota, its key, an outage) leaves its queries to the next one. Left out: the one that comes with trawler.',
      ),
      stages: z
        .record(z.string().regex(/^[A-Za-z][\w-]*$/), stageFormat, { error: 'an object of stages, by name' })
        .describe('By name: letters, digits, _ and -.'),
      env: maybe(
        several('a list of names of environment variables'),
        'The environment variables that ${env.NAME} may read, and no others. Their values are written to disk with the queries.',
      ),
      timeZone: maybe(
        z.string({ error: timeZoneWords }).refine(isTimeZone, {
          error: ({ input }) => timeZoneWords + instead(String(input), Intl.supportedValuesOf('timeZone'), ''),
        }),
        "The time zone of ${today} and of days: 'Europe/Berlin'. Left out: 'UTC'.",
      ),
      maxRequests: maybe(whole(), 'Requests of one run, retries included. The run stops before it would send more, and can be resumed.'),
      store: maybe(
        z.union([storeFolder, storeFormat], { error: 'a folder beside the flow, or an object with a folder' }),
        'Where responses are kept, so that each is paid for once.',
      ),
      headline: maybe(
        z.union([headlineFormat, z.array(headlineFormat).min(1).max(3)], {
          error: 'an object with table, series or map, or a list of up to three',
        }),
        'What the report and the page show first: a table, a series or a map over the columns of a file.',
      ),
      failAbove: maybe(share(), 'The share of failed queries that stops a run, once 20 have ended. Left out: 0.5.'),
    },
    { error: 'an object with a name and stages' },
  );

  return { flow: format, stage: stageFormat, input, expect: expectFormat };
});

type Formats = ReturnType<typeof flowFormats>;
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** A flow as plain data: what a `.json` file holds, and what `defineFlow` takes. */
export type FlowDefinition = Omit<Frozen<z.infer<Formats['flow']>>, 'service'> & {
  /** The service, a vendor's name, the file beside the flow that exports it, or several. @default the client's, else the built-in one */
  readonly service?: string | readonly string[] | Service | undefined;
};
/** One stage: an operation, called once for each row of the stage or seed file in `each`. */
export type StageDefinition = Frozen<z.infer<Formats['stage']>>;
/** A value of a query, or of a kept column. */
export type ParamInput = Frozen<z.infer<Formats['input']>>;

/** A file that a stage writes, and how. */
export type OutputDefinition = Exclude<NonNullable<StageDefinition['to']>, string | readonly unknown[]>;

/** The parameters of a query, by name. */
export interface QueryParams {
  readonly [param: string]: QueryValue;
}
/** Expectations about the rows of a stage. */
export type Expectations = Frozen<z.infer<Formats['expect']>>;
/** Whether an entry of `pick` names what isn't written: `!as_of`. */
export function isDropped(entry: string): boolean {
  return entry.startsWith('!');
}

/** One value or several as a list. */
export function listed<T>(value: T | readonly T[] | undefined): readonly T[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? (value as readonly T[]) : [value as T];
}

/** A file or destination that `to` names, and how it is written. */
interface NamedOutput {
  readonly file: string;
  readonly options: Omit<OutputDefinition, 'file'>;
  /** Its index, where there are several. */
  readonly at: readonly number[];
}

/** What `to` names. */
export function outputsIn(to: StageDefinition['to']): readonly NamedOutput[] {
  const isList = Array.isArray(to);
  return listed<string | OutputDefinition>(to).map((one, index) => {
    const { file, ...options } = typeof one === 'string' ? { file: one } : one;
    return { file, options, at: isList ? [index] : [] };
  });
}

/** Whether a number is within the bounds of a flow. */
export function isWithin(value: number, bounds: { readonly '>='?: number | undefined; readonly '<='?: number | undefined }): boolean {
  return value >= (bounds['>='] ?? -Infinity) && value <= (bounds['<='] ?? Infinity);
}

/** Whether `each` names a seed file or `-` for standard input, rather than a stage. */
export function isSeeds(each: string): boolean {
  return each === '-' || fileKindOf(each)?.text === true;
}
