import { byKind, dataPath, object, operation, param, path, rowPath, yes } from '../../../operators/options/fieldKinds.ts';
import { anything, either, flag, like, listOf, number, oneOf, tableOf, text, whole } from '../../../operators/options/kinds.ts';
import { declareFields } from '../../../operators/options/OptionSet.ts';
import type { AreaSpec, Splits, YearSpec } from '../../../operators/split/Splits.ts';
import type { ClaimsSpec } from '../../../operators/walk/WalkedOperation.ts';
import type { Paging } from '../../../operators/walk/paging/pagingKinds.ts';
import { formats } from '../checkQuery/formats.ts';
import { type BodyFormat, bodyFormats } from '../bodyFormats.ts';
import type { EnvelopeCode, EnvelopeSpec } from '../EnvelopeSpec.ts';
import type { JobSpec, JobState } from '../JobSpec.ts';
import type { OperationSpec, OrderSpec, VariantsSpec } from '../Operation.ts';
import {
  type Rule,
  type ExpirySpec,
  type ParamFormat,
  paramParts,
  type ParamSpec,
  paramStyles,
  paramTypes,
  type QueryValue,
} from '../Param.ts';
import { ruleKinds } from '../checkQuery/rules.ts';
import { isHeaderName, isHeaderValue } from '../requestFaults.ts';
import { methods } from '../requestPath.ts';
import type { Shape } from '../Shape.ts';
import { parsePath } from '../valuesAt.ts';
import { pagingFields, pagingMeant } from './pagingFields.ts';
import { shape } from './shapeFields.ts';

type Variant = VariantsSpec['values'][string];

const plainValue = either(text(), number(), flag());
const queryValue = like<QueryValue>(
  'a value of a parameter',
  (value) => value !== null && !['undefined', 'function'].includes(typeof value),
);
const headerName = like<string>("a header's name that can be set", isHeaderName);
export const headers = tableOf(like<string>('a text of one line', isHeaderValue), headerName);
export const fixed = tableOf(queryValue);

export const envelopeFields = declareFields<EnvelopeSpec>()({
  data: path(),
  code: object(declareFields<EnvelopeCode>()({ at: path().needed(), good: plainValue.needed() })),
  error: path(),
  message: path(),
  requestId: path(),
  timestamp: path(),
});

export const paramFields = declareFields<ParamSpec>()(
  {
    type: oneOf(...paramTypes).needed(),
    about: text(),
    in: oneOf(...paramParts),
    at: path(),
    name: text(),
    style: oneOf(...paramStyles),
    batch: whole({ from: 2 }),
    match: rowPath(),
    required: yes(),
    default: plainValue,
    oneOf: listOf(text()),
    known: listOf(text()),
    several: yes(),
    format: oneOf(...(Object.keys(formats) as ParamFormat[])),
    min: number(),
    max: number(),
    step: whole({ from: 1 }),
    from: text(),
    expires: object(
      declareFields<ExpirySpec>()({
        operation: operation().needed(),
        at: path().needed(),
        afterMs: whole({ from: 1 }).needed(),
      }),
    ),
  },
  { values: 'oneOf', enum: 'oneOf', choices: 'oneOf', options: 'oneOf', description: 'about', minimum: 'min', maximum: 'max' },
);

export const splitsFields = declareFields<Splits>()({
  full: whole({ from: 1 }).needed(),
  area: object(
    declareFields<AreaSpec>()({
      param: param().needed(),
      write: text().needed(),
      latitude: rowPath().needed(),
      longitude: rowPath().needed(),
      words: param().needed(),
      zoom: like<readonly [number, number]>(
        'two numbers',
        (zoom) => Array.isArray(zoom) && zoom.length === 2 && zoom.every(Number.isFinite),
      ).needed(),
    }),
  ),
  year: object(declareFields<YearSpec>()({ first: param().needed(), last: param().needed() })),
});

const isRowsPath = (at: unknown): boolean => typeof at === 'string' && (at === '' || parsePath(at.replace(/^\[\]\./, '')) !== undefined);
const rowsAt = either(
  like<string>("a path such as data.children[].data or ''", isRowsPath),
  like<null>('null', (at) => at === null),
);

export const operationFields = declareFields<OperationSpec>()({
  name: text(),
  title: text(),
  group: text(),
  cost: whole({ from: 1 }),
  path: like<`/${string}`>('a path that starts with a slash', (at) => typeof at === 'string' && at.startsWith('/')).needed(),
  about: text(),
  method: oneOf(...methods),
  body: tableOf(anything()),
  bodyAs: oneOf('json', 'form'),
  format: oneOf(...(Object.keys(bodyFormats) as BodyFormat[])),
  job: object<JobSpec>(
    declareFields<JobSpec>()({
      status: whole({ from: 200, to: 299 }),
      at: path(),
      until: object(declareFields<JobState>()({ at: path().needed(), is: listOf(plainValue).needed(), failed: listOf(plainValue) })),
      everyMs: whole({ from: 1 }),
      maxMs: whole({ from: 1 }),
    }),
  ),
  fixed,
  headers,
  repeatable: flag(),
  conditional: flag(),
  params: tableOf(object<ParamSpec>(paramFields)).needed('without parameters it is {}'),
  rules: listOf(byKind<Rule>(ruleKinds)),
  response: shape<OperationSpec['response']>().needed(),
  envelope: object<EnvelopeSpec>(envelopeFields),
  list: rowsAt.needed(),
  listUndocumented: yes(),
  keyed: text('the name of a column'),
  id: rowPath(),
  claims: object(declareFields<ClaimsSpec>()({ at: dataPath().needed(), unless: listOf(param()) })),
  estimates: dataPath(),
  order: object(declareFields<OrderSpec>()({ param: param().needed(), newest: text(), time: rowPath() })),
  splits: object<Splits>(splitsFields),
  variants: object(
    declareFields<VariantsSpec>()({
      param: param().needed(),
      values: tableOf(object<Variant>(declareFields<Variant>()({ response: shape<Shape>().needed(), list: rowsAt.needed() }))).needed(),
    }),
  ),
  paging: byKind<Paging>(pagingFields, pagingMeant).needed("without further pages it is { kind: 'none' }"),
});
