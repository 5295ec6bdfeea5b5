import { anyPath, dataPath, object, param, path, rowPath, slashPath, yes, byField } from '../../../operators/options/fieldKinds.ts';
import { anything, either, like, listOf, number, oneOf, tableOf, text, whole } from '../../../operators/options/kinds.ts';
import {
  declareFields,
  type InnerOptions,
  OptionKind,
  checkValue,
  optionError,
  type OptionSet,
} from '../../../operators/options/OptionSet.ts';
import { isTimeForm, type TimeForm } from '../../../operators/kit/writeTime.ts';
import { everyWords, daysOfEvery } from '../../../operators/kit/calendar.ts';
import { formats } from '../checkQuery/formats.ts';
import { type BatchSpec, type BodyFormat, bodyFormats, type ParamFormat, type ParamSpec, paramTypes, type QueryValue } from '../Param.ts';
import type { EnvelopeCode, EnvelopeSpec, JobSpec, JobState } from '../EnvelopeSpec.ts';
import { failureMeanings, type FailureSpec } from '../FailureSpec.ts';
import type { OperationSpec, OwnWord, TimeSpec } from '../Operation.ts';
import { plainValue, searchEnvelope, searchOperation, searchParam } from './searchFields.ts';
import { isHeaderName, isHeaderValue } from './checkRequest.ts';
import type { Shape, HintShape, MapShape, NullableShape, ObjectShape, OneOfShape, PlainWord } from '../Shape.ts';
import { parsePath } from '../../../operators/kit/path.ts';
import { listPath } from '../../../operators/walk/rowsAt.ts';
import { inWords, nearestName } from '../../../operators/check/nearestName.ts';
import { oneColumnOf } from '../columnsOf.ts';

/** The words of a leaf, and what they mean. `|null` may follow each. */
export const leafWords: { readonly [word in PlainWord]: string } = {
  string: 'a text',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object whose fields are not described',
  array: 'a list whose entries are not described',
  unknown: 'anything',
  'number|string': 'a number or a text',
};
type DollarWord = keyof (OneOfShape & NullableShape & HintShape & PlainMap);
/** Descriptions have no objects with keys of two kinds: only our own service has them. */
type PlainMap = Omit<MapShape, '$suffix' | '$twin'>;
/** The words that are keys of an object in a shape, and what they mean. */
export const dollarWords: { readonly [word in DollarWord]: string } = {
  $nullable: 'this shape, or null',
  $oneOf: 'one of these shapes',
  $by: 'beside `$oneOf`: the field that tells them apart. Without it, they are tried in order',
  $open: 'beside `$oneOf`: true if objects with other values of `$by` exist, too',
  $map: 'an object whose keys vary: the shape of its values',
  $known: 'beside `$map`: the fields that have their own shapes',
  $hint: 'probably this shape: it gives types and columns, and is never checked',
};
const words = Object.keys(leafWords).flatMap((word) => [word, `${word}|null`]);

const inside: InnerOptions = { check: checkShape };

/** The shape of a response, or of a part of it. */
export function shape<V extends Shape>(): OptionKind<V, undefined> {
  const isShape = (value: unknown): boolean => typeof value === 'string' || (typeof value === 'object' && value !== null);
  return new OptionKind("a shape: a word such as 'string', an object, or [shape] for a list", isShape, undefined, { inside });
}

/** The shapes that are objects with a `$` key, by that key. */
const shapeKinds: { readonly [word in ShapeWord]: OptionSet } = {
  $oneOf: declareFields<OneOfShape>()({ $oneOf: listOf(shape<Shape>()).needed(), $by: text(), $open: yes() }),
  $nullable: declareFields<NullableShape>()({ $nullable: shape<Shape>().needed() }),
  $hint: declareFields<HintShape>()({ $hint: shape<Shape>().needed() }),
  $map: declareFields<PlainMap>()({ $map: shape<Shape>().needed(), $known: shape<ObjectShape>() }),
};
type ShapeWord = '$oneOf' | '$nullable' | '$hint' | '$map';
const fieldsOfObject = tableOf(shape<Shape>());
const specialObject = byField(shapeKinds);

/** Refuses a shape that readers of shapes don't know. */
function checkShape(caller: string, given: unknown, outer: string): void {
  const where = outer.slice(0, -1);
  if (typeof given === 'string') {
    const [word] = given.split(': ', 1);
    if (!words.includes(word!) && !/^[=~]./.test(word!))
      throw optionError(caller, where, `a word of shapes (${Object.keys(leafWords).join(', ')})`, word, words);
    return;
  }
  if (Array.isArray(given)) {
    if (given.length !== 1) throw optionError(caller, where, 'a list with the one shape of its entries', given);
    return checkValue(caller, shape(), given[0], `${where}[]`);
  }
  const object = given as object;
  const dollar = Object.keys(object).find((field) => field.startsWith('$') && nearestName(field, Object.keys(dollarWords)) !== undefined);
  const kind = dollar === undefined ? fieldsOfObject : specialObject;
  checkValue(caller, kind, object, where);
  if ('$oneOf' in object || Object.keys(object).some((field) => field.includes('.'))) checkColumns(caller, given as Shape, where);
}

/** Refuses two fields whose columns would have the same name, because the values of one would be missing from files. */
function checkColumns(caller: string, row: Shape, where: string): void {
  const fields = oneColumnOf(row);
  if (fields === undefined) return;
  const [first, second] = fields.map((keys) => keys.toReversed().map(inWords).join(' of '));
  const [outer] = fields.find(({ length }) => length > 1)!;
  throw new RangeError(
    `${caller}: ${where}: ${first} and ${second} can't both be the column ${fields[0].join('.')}; describe ${inWords(outer!)} as ` +
      `'object', which is one column`,
  );
}

const queryValue = like<QueryValue>(
  'a value of a parameter',
  (value) => value !== null && !['undefined', 'function'].includes(typeof value),
);
const headerName = like<string>("a header's name that can be set", isHeaderName);
export const headers = tableOf(like<string>('a text of one line', isHeaderValue), headerName);
export const query = tableOf(queryValue);

export const envelopeFields = declareFields<EnvelopeSpec>()({
  data: path(),
  code: object(declareFields<EnvelopeCode>()({ at: path().needed(), is: plainValue.needed() })),
  error: path(),
  message: path(),
  ...searchEnvelope,
});

const fromHeader = (at: unknown): boolean => typeof at === 'string' && at.startsWith('header:') && isHeaderName(at.slice('header:'.length));
const inResponse = like<string>("a dotted path, or 'header:' and a name", (at) =>
  String(at).startsWith('header:') ? fromHeader(at) : anyPath().fits(at),
);

export const failureFields = declareFields<FailureSpec>()({
  status: whole({ from: 200, to: 999 }),
  at: inResponse,
  is: either(plainValue, listOf(plainValue)),
  means: oneOf(...failureMeanings).needed(),
  until: inResponse,
});
export const failures = listOf(object<FailureSpec>(failureFields));

export const paramFields = declareFields<Omit<ParamSpec, 'form'>>()(
  {
    type: oneOf(...paramTypes).needed(),
    about: text(),
    batch: either(
      whole({ from: 2 }),
      object<BatchSpec>(declareFields<BatchSpec>()({ size: whole({ from: 2 }).needed(), id: rowPath().needed() })),
    ),
    required: yes(),
    default: plainValue,
    oneOf: listOf(text()),
    format: oneOf(...(Object.keys(formats) as ParamFormat[])),
    min: number(),
    max: number(),
    ...searchParam,
  },
  { enum: 'oneOf', choices: 'oneOf', options: 'oneOf', description: 'about', minimum: 'min', maximum: 'max' },
);

const timeForm = like<TimeForm>("'dateTime', 'date', 'compactDate', 'seconds', 'ms', or a pattern such as YYYY-MM-DD HH:mm", isTimeForm);
const isRowsPath = (at: unknown): boolean =>
  typeof at === 'string' && (at === '' || parsePath(listPath(at).replace(/^\[\]\./, '')) !== undefined);
const rowsAt = either(
  like<string>("a path such as data.children[].data or ''", isRowsPath),
  like<null>('null', (at) => at === null),
);

const pathOfNext = either(like<string>("'header:link', 'header:' and another name", fromHeader), dataPath());
const pathOfCount = either(like<string>("'header:' and a name", fromHeader), dataPath());

export const operationFields = declareFields<Omit<OperationSpec, OwnWord>>()(
  {
    name: text(),
    group: text(),
    about: text(),
    get: slashPath(),
    post: slashPath(),
    query,
    headers,
    body: either(tableOf(anything()), listOf(anything())),
    form: query,
    format: oneOf(...(Object.keys(bodyFormats) as BodyFormat[])),
    job: object<JobSpec>(
      declareFields<JobSpec>()({
        at: path(),
        get: slashPath(),
        until: object(declareFields<JobState>()({ at: path().needed(), is: listOf(plainValue).needed() })),
        everyMs: whole({ from: 1 }),
      }),
    ),
    params: tableOf(object<ParamSpec>(paramFields)),
    response: shape<OperationSpec['response']>(),
    row: shape<Shape>(),
    failures,
    envelope: object<EnvelopeSpec>(envelopeFields),
    rows: rowsAt.needed('where a response is the one row, it is null'),
    keyed: text('the name of a column'),
    outer: either(listOf(path()), tableOf(path())),
    id: rowPath(),
    time: either(rowPath(), object<TimeSpec>(declareFields<TimeSpec>()({ at: rowPath().needed(), as: timeForm.needed() }))),
    most: like<string>(everyWords, (value) => daysOfEvery(value) !== undefined),
    order: tableOf(text(), param()),
    next: either(pathOfNext, listOf(pathOfNext)),
    merge: path(),
    more: dataPath(),
    done: dataPath(),
    total: pathOfCount,
    pages: pathOfCount,
    size: whole({ from: 1 }),
    alone: either(yes(), listOf(param())),
    nextPath: slashPath(),
    repeats: yes(),
    ...searchOperation,
  },
  {
    list: 'rows',
    items: 'rows',
    paging: 'next',
    cursor: 'next',
    has_more: 'more',
    hasMore: 'more',
    is_last: 'done',
    isLast: 'done',
    claims: 'total',
  },
);
