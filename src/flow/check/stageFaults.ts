import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { ownValue } from '../../../operators/kit/ownValue.ts';
import {
  answerTablesOf,
  fieldAt,
  lackingParams,
  listsOf,
  instead,
  nearestName,
  type FanOutSpec,
  type Operation,
  checkQuery,
  coerceQuery,
  pathsOf,
  timesOf,
  type FanOutSource,
  type QueryValue,
  type Service,
} from '../../contract/index.ts';
import { isPartOf, parsePath, type FieldPath } from '../../../operators/kit/path.ts';
import { type FlowDefinition, type StageDefinition, isDropped, listed, outputsIn, flowFormats } from '../definition/flowFormat.ts';
import type { FlowFault, GivenCheckOptions } from './CheckFlowOptions.ts';
import { fieldFault, outsideOf, rowsOfStage, inputRows, type KnownRows } from './inputRows.ts';
import { fanOutOf, operationOf, servicesOf } from '../definition/Flow.ts';
import { resolve } from 'node:path';
import { compileGrid, gridFault, pointColumns } from '../split/gridParam.ts';
import type { SplitFault } from '../split/readArea.ts';
import { splitKindOf } from '../split/splitKinds.ts';
import {
  parseBinding,
  type Binding,
  type BindingFault,
  type FlowEnv,
  leavesOf,
  queryParamIn,
  type ParamBinding,
  isTimed,
} from '../definition/parseBinding.ts';
import { paramBindings } from '../definition/paramBindings.ts';
import { paramValuesOf, takesJson } from '../query/bindQueries.ts';
import { rightValue } from '../../contract/checkQuery/formats.ts';
import type { z } from 'zod';
import { askedBy, timeSpecOf } from '../definition/compileStage.ts';
import { isBounded } from '../split/daysAxis.ts';
import { keysAt, useCover } from '../definition/flowKeys.ts';
import { whoHas, whyNot } from '../../services/index.ts';

/** The faults of each stage, and of its input rows. */
export function stageFaults(flow: FlowDefinition, options: GivenCheckOptions): readonly FlowFault[] {
  return Object.entries(flow.stages).flatMap(([name, stage]) => {
    const services = servicesOf(flow, options, stage);
    if (stage.cover !== undefined && services.length > 1) return [{ at: ['stages', name, 'cover'], message: oneService }];
    const faults = services.flatMap((service) => faultsAt(flow, name, service, options));
    return [...new Map(faults.map((fault) => [JSON.stringify(fault), fault])).values()];
  });
}

const oneService = 'a stage with cover has one service: each sees another part of the map. Name one with "service"';

function faultsAt(flow: FlowDefinition, name: string, service: Service, options: GivenCheckOptions): readonly FlowFault[] {
  const stage = flow.stages[name]!;
  const at = ['stages', name];
  const operation = operationOf(service, stage);
  if (operation === undefined) {
    const names = [...Object.keys(service.operations), ...Object.keys(service.fanOuts)];
    const isBuiltIn = flow.service === undefined && options.service === undefined;
    const elsewhere = isBuiltIn ? '. If it is of another service, name it: "service": "./FILE", or --service NAME' : '';
    const because = whyNot(service, options.others ?? [], stage.call);
    if (because !== '') return [{ at: [...at, 'call'], message: because }];
    const hint = instead(stage.call, names, `'trawler operations' lists them${elsewhere}`);
    return [{ at: [...at, 'call'], message: `no operation is called '${stage.call}'${hint}` }];
  }
  const fanOut = fanOutOf(service, stage);
  return [
    ...paramFaults(flow, name, { operation, fanOut }, options),
    ...ownFaults(stage, operation, at, fanOut),
    ...splitFaults(stage, operation, at, options),
    ...sinceFaults(stage, operation, at),
    ...untilFaults(stage, at),
    ...seriesFaults(stage, operation, at),
  ];
}

/** The faults of the keys that describe a stage's own response and rows. */
function ownFaults(stage: StageDefinition, operation: Operation, at: readonly string[], fanOut: FanOutSpec | undefined): FlowFault[] {
  const faults: FlowFault[] = [];
  if (stage.rows !== undefined) {
    const lists = [...listsOf(operation).map(({ path }) => path), ...answerTablesOf(operation)];
    // An undocumented list may exist. A name close to a documented one is a typing error.
    const nearest = lists.includes(stage.rows) ? undefined : nearestName(stage.rows, lists);
    if (nearest !== undefined)
      faults.push({ at: [...at, 'rows'], message: `${operation.name} has no list '${stage.rows}'; did you mean '${nearest}'?` });
    else if (
      operation.spec.variants === undefined &&
      ['value', 'object'].includes(fieldAt(operation.spec.response, stage.rows.split('.')).kind)
    )
      faults.push({ at: [...at, 'rows'], message: `${stage.rows} of ${operation.name} isn't a list; there are ${lists.join(', ')}` });
  }
  const isOnePage = (stage.pages ?? 1) === 1 || splitKindOf(stage) !== undefined;
  const lacking = isOnePage ? [] : lackingParams(operation.spec.paging, { ...fanOut?.with, ...stage.with, ...pointOf(stage, operation) });
  for (const param of lacking)
    faults.push({ at: [...at, 'with'], message: `pages after the first of ${operation.name} need ${param}: give it, or leave out pages` });
  const rows = rowsOfStage(stage, operation, fanOut);
  for (const column of [...(stage.grid === undefined ? [] : pointColumns), ...Object.keys(stage.keep ?? {})]) {
    if (/[.[\]]/.test(column) || column === '')
      faults.push({ at: [...at, 'keep', column], message: `'${column}' can't be a column's name: it has no dots and no brackets` });
    else if (stage.until !== undefined && ['rank', 'page'].includes(column))
      faults.push({ at: [...at, 'keep', column], message: `until writes a column '${column}': give the kept one another name` });
    else if ('shape' in fieldAt(rows.shape, [column]))
      faults.push({ at: [...at, 'keep', column], message: `${rows.whose} have a '${column}' of their own: give the column another name` });
  }
  if (stage.pick?.some(isDropped) === true && !stage.pick.every(isDropped))
    faults.push({ at: [...at, 'pick'], message: "pick says what is written, or with ! what is not: ['!as_of'], and not both" });
  const fields: readonly (readonly [where: readonly string[], field: string])[] = [
    ...(['where', 'until'] as const).flatMap((key) => Object.keys(stage[key] ?? {}).map((field) => [[key, field], field] as const)),
    ...(stage.pick ?? [])
      .map((field) => (isDropped(field) ? field.slice(1) : field))
      .filter((field) => !isOwnColumn(stage, field))
      .map((field) => [['pick'], field] as const),
    ...listed(stage.by).map((field) => [['by'], field] as const),
    ...outputsIn(stage.to).flatMap(({ at: index, options: { columns = [] } }) =>
      columns
        .map((one) => (typeof one === 'string' ? one : one.path))
        .filter((field) => !isOwnColumn(stage, field))
        .map((field) => [['to', ...index.map(String), 'columns'], field] as const),
    ),
    ...Object.keys(stage.expect?.filled ?? {}).map((field) => [['expect', 'filled', field], field] as const),
  ];
  for (const [where, field] of fields) {
    const path = parsePath(field);
    const message =
      path === undefined || (['pick', 'to'].includes(where[0]!) && path.keys.includes('[]')) ? noPath(field) : fieldFault(rows, path);
    if (message !== undefined) faults.push({ at: [...at, ...where], message });
  }
  return faults;
}

function noPath(field: string): string {
  return `'${field}' isn't a path: write field or object.field`;
}

/** The parameter that a grid fills. */
function pointOf({ grid }: StageDefinition, { spec: { splits } }: Operation): object {
  return grid === undefined || splits?.area === undefined ? {} : { [splits.area.param]: '' };
}

/** Whether a run adds this column. */
function isOwnColumn({ seen, provenance, grid, until, service }: StageDefinition, field: string): boolean {
  const own = seen === 'series' ? ['seen_at'] : seen === true ? ['first_seen', 'last_seen'] : [];
  const ofPoint: readonly string[] = grid === undefined ? [] : pointColumns;
  const ofPlace: readonly string[] = until === undefined ? [] : ['rank', 'page'];
  const ofService = typeof service === 'string' ? [] : ['_service']; // where the flow or the stage names several
  return [...own, ...ofPoint, ...ofPlace, ...ofService].includes(field) || (provenance === true && field.startsWith('_source.'));
}

/** The faults of `until`. A row has a rank only if its query is walked in one order to the end. */
function untilFaults(stage: StageDefinition, at: readonly string[]): FlowFault[] {
  const { until } = stage;
  if (until === undefined) return [];
  const where = [...at, 'until'];
  if (Object.keys(until).length === 0) return [{ at: where, message: 'until names no field: write {"link": {"domain": "example.com"}}' }];
  const other = (['cover', 'split', 'since'] as const).find((key) => stage[key] !== undefined);
  return other === undefined ? [] : [{ at: where, message: `a stage has until or ${other}, not both` }];
}

/** The faults of a series. Its runs can only be compared if rows have a key. */
function seriesFaults(stage: StageDefinition, operation: Operation, at: readonly string[]): FlowFault[] {
  const { seen, since } = stage;
  if (seen !== 'series') return [];
  const where = [...at, 'seen'];
  if (since !== undefined) return [{ at: where, message: 'a stage with since requests only what is new, so it makes no series' }];
  return keyFaults(stage, operation, at);
}

/** The fields that identify a row must be known and written. */
function keyFaults(stage: StageDefinition, { name, spec }: Operation, at: readonly string[]): FlowFault[] {
  const { by, rows, pick } = stage;
  const fields = by === undefined && rows === undefined && spec.id !== undefined ? [spec.id] : listed(by);
  if (fields.length === 0)
    return [{ at: [...at, 'seen'], message: `name the field that identifies a row with 'by': ${noIdOf(name, rows)}` }];
  const left = pick === undefined ? [] : fields.filter((field) => !isPicked(stage, field));
  return left.map((field) => ({ at: [...at, 'pick'], message: `${picking(stage, field)}: it identifies a row` }));
}

function noIdOf(operation: string, rows: string | undefined): string {
  return rows === undefined ? `${operation} doesn't say what identifies a row` : `rows of ${rows} have no known id`;
}

/** What is wrong with how a stage says what is new. */
function sinceFaults(stage: StageDefinition, operation: Operation, at: readonly string[]): FlowFault[] {
  const { since } = stage;
  if (since === undefined) return [];
  const { order, id } = operation.spec;
  const where = [...at, 'since'];
  const time = timeSpecOf(stage, operation)?.at;
  const asked = askedBy(stage, operation);
  const faults: FlowFault[] = [];
  if (asked === 'since' && Array.isArray(ownValue(stage.with, 'since')))
    faults.push({ at: [...at, 'with', 'since'], message: 'an update sets since itself, so give one value, where the first run begins' });
  if (stage.gone === 'drop' && since.fullEvery === undefined) {
    const message = "only an update that requests everything sees what is gone: set since.fullEvery, such as '30d'";
    faults.push({ at: [...at, 'gone'], message });
  }
  if (stage.limit !== undefined) {
    const message = 'a stage has since or limit, not both: an update would not know which rows the limit left out. Use pages';
    faults.push({ at: [...at, 'limit'], message });
  }
  if (time === undefined) faults.push({ at: where, message: `name the 'field': ${operation.name} doesn't say when a row is from` });
  const key = stage.by === undefined ? [since.id ?? id].filter((one) => one !== undefined) : listed(stage.by);
  if (key.length === 0) faults.push({ at: where, message: `name the 'id': ${operation.name} doesn't say what identifies a row` });
  for (const [name, field] of [
    ['field', since.field],
    ['id', since.id],
  ] as const) {
    const path = field === undefined ? undefined : parsePath(field);
    const message = path === undefined ? undefined : fieldFault(rowsOfStage(stage, operation), path, true);
    if (message !== undefined) faults.push({ at: [...where, name], message });
  }
  const left = stage.pick === undefined ? [] : [...key, ...(time === undefined ? [] : [time])].filter((field) => !isPicked(stage, field));
  for (const field of left) faults.push({ at: [...at, 'pick'], message: `${picking(stage, field)}: an update needs it to find new rows` });
  for (const [param, newest] of asked === undefined ? Object.entries(order ?? {}) : [])
    if (![undefined, newest].includes(ownValue(stage.with, param) as string | undefined))
      faults.push({ at: [...at, 'with', param], message: `a stage with 'since' is walked newest first: leave out ${param}` });
  return faults;
}

function picking({ pick = [] }: StageDefinition, field: string): string {
  return pick.some(isDropped) ? `don't leave out '${field}'` : `pick '${field}', too`;
}

function isPicked({ pick = [], keep = {}, grid }: StageDefinition, field: string): boolean {
  const fields = pick.map((one) => ({ path: isDropped(one) ? one.slice(1) : one }));
  if (pick.some(isDropped)) return !isPartOf({ path: field }, fields);
  if (grid !== undefined && pointColumns.some((column) => column === field)) return true;
  return Object.hasOwn(keep, field) || isPartOf({ path: field }, fields);
}

function splitFaults(stage: StageDefinition, operation: Operation, at: readonly string[], options: GivenCheckOptions): FlowFault[] {
  const kind = splitKindOf(stage);
  const key = kind?.key ?? 'grid';
  if (kind === undefined && stage.grid === undefined) return [];
  const fault = ({ message, at: deeper }: SplitFault): FlowFault[] => [
    { at: [...at, key, ...(deeper === undefined ? [] : [deeper])], message },
  ];
  if (stage.cover !== undefined && stage.split !== undefined) return fault({ message: 'a stage has cover or split, not both' });
  if (stage.split !== undefined && stage.limit !== undefined)
    return fault({ message: 'a stage has split or limit, not both: narrower queries return all rows. When one is full says split.full' });
  const where = { folder: resolve(options.folder ?? '.'), fileSystem: options.fileSystem };
  const checked = { ...where, outsideOf: (file: string) => outsideOf(file, options) };
  const found = kind?.fault?.(stage, operation, checked) ?? (stage.grid === undefined ? undefined : gridFault(stage, operation, checked));
  if (found !== undefined) return fault(found);
  const bound = { ...where, bind: (text: string) => ({ kind: 'field', ...parsePath(text.replace(/^\$\./, ''))! }) as const };
  try {
    kind?.compile(stage, operation, bound);
    compileGrid(stage, operation, bound);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return fault({ message: error.message });
  }
  return [];
}

/** The faults of a stage's query, and of the fields it reads from its input rows. */
function paramFaults(
  flow: FlowDefinition,
  name: string,
  { operation, fanOut }: { readonly operation: Operation; readonly fanOut: FanOutSpec | undefined },
  options: GivenCheckOptions,
): readonly FlowFault[] {
  const stage = flow.stages[name]!;
  const at = ['stages', name];
  const faults: FlowFault[] = [];
  const sources = inputRows(flow, name, options, (fault) => faults.push(fault));
  const env: FlowEnv = { values: options.env ?? process.env, allowed: flow.env ?? [], now: Date.now(), zone: flow.timeZone ?? 'UTC' };
  const given: { readonly [param: string]: unknown } = stage.with ?? {};
  if (fanOut !== undefined) faults.push(...fanOutFaults(fanOut, sources, listed(stage.each).length > 0, at));

  const bindAt = (binding: ParamBinding | BindingFault, where: readonly (string | number)[], value: boolean): ParamBinding | undefined => {
    if (binding.kind === 'fault') {
      faults.push({ at: where, message: binding.message });
      return undefined;
    }
    for (const field of leavesOf(binding).flatMap(fieldsOf)) {
      if (listed(stage.each).length === 0)
        faults.push({ at: where, message: `'$.${field.path}' reads a row, but the stage has no input rows: name them with 'each'` });
      for (const source of sources) {
        const message = fieldFault(source, field, value);
        if (message !== undefined) faults.push({ at: where, message });
      }
    }
    return binding;
  };

  for (const field of Object.keys(stage.when ?? {})) {
    const path = parsePath(field);
    const where = [...at, 'when', field];
    if (path === undefined) faults.push({ at: where, message: noPath(field) });
    else bindAt({ kind: 'field', ...path }, where, false);
  }

  const constants = new Map<string, readonly QueryValue[]>();
  for (const [param, inputs] of Object.entries(given)) {
    const where = [...at, 'with', param];
    if (!Object.hasOwn(operation.params, param)) {
      faults.push({ at: where, message: noParam(operation, param, options.others) });
      continue;
    }
    const spec = operation.params[param]!;
    const read = paramBindings(inputs, { param: spec, given, env });
    const several = Array.isArray(inputs) && read.length === inputs.length;
    const bindings = read.map((binding, index) => bindAt(binding, several ? [...where, index] : where, true));
    if (bindings.every((binding) => binding !== undefined && isConstant(binding)))
      constants.set(
        param,
        bindings.flatMap((binding, index) => {
          const made = paramValuesOf(binding!, {});
          return hasReference(several ? inputs[index] : inputs)
            ? made.map((value) => coerceQuery(operation, { [param]: value as string })[param]!)
            : made;
        }),
      );
    else if (!takesJson.has(spec.type) && bindings.some((binding) => binding?.kind === 'made'))
      faults.push({ at: where, message: `${param} takes no list or object: it must be ${rightValue(spec)}` });
  }
  for (const [column, input] of Object.entries(stage.keep ?? {})) {
    const where = [...at, 'keep', column];
    const param = queryParamIn(input);
    if (param === undefined) bindAt(parseBinding(input, env), where, false);
    else if (!Object.hasOwn(operation.params, param)) faults.push({ at: where, message: noParam(operation, param, options.others) });
    else if (dividedBy(stage, operation).includes(param))
      faults.push({ at: where, message: `${param} can't be kept: each part of a query that is divided has its own` });
    if (isTimed(input)) faults.push({ at: where, message: 'keep has no ${now}: for the times a row was seen, write "seen": true' });
  }
  if (stage.since?.unless !== undefined)
    bindAt(parseBinding(stage.since.unless.replace(/^(?!\$\.)/, '$.'), env), [...at, 'since', 'unless'], true);
  faults.push(...constantFaults(operation, { ...fanOut?.with, ...given }, constants, stage, at));
  return faults;
}

/** The parameters by which the queries of a stage are divided. */
function dividedBy({ cover, split }: StageDefinition, { spec: { splits } }: Operation): readonly (string | undefined)[] {
  const area = cover === undefined ? [] : [splits?.area?.param];
  const years = split?.by === 'year' ? [splits?.year?.first, splits?.year?.last] : [];
  const days = split !== undefined && split.by === undefined ? ['from', 'to'] : [];
  return [...area, ...years, ...days, split?.by, ...(split?.params ?? [])];
}

/** Whether a text stands for another value. That value is converted to the type of its parameter later. */
function hasReference(input: unknown): boolean {
  return typeof input === 'string' && /(?<!\$)\$\{/.test(input);
}

/** Fields that a ready fan-out needs and the rows lack. Of several sources, one is enough. */
function fanOutFaults(fanOut: FanOutSpec, sources: readonly KnownRows[], runs: boolean, at: readonly string[]): FlowFault[] {
  return Object.entries(fanOut.with).flatMap(([param, from]): FlowFault[] => {
    const paths = listed<FanOutSource>(from).map(pathsOf);
    const fields = paths.flatMap(({ row }) => (row === undefined ? [] : [parsePath(row)!]));
    if (fields.length === 0 || fields.length < paths.length) return [];
    const where = [...at, 'with', param];
    const [first] = fields;
    if (!runs) return [{ at: where, message: `'$.${first!.path}' reads a row, but the stage has no input rows: name them with 'each'` }];
    return sources.flatMap((source) => {
      const messages = fields.map((field) => fieldFault(source, field, true));
      return messages.includes(undefined) ? [] : [{ at: where, message: messages[0]! }];
    });
  });
}

function isConstant(binding: ParamBinding): boolean {
  return binding.kind !== 'after' && leavesOf(binding).every(({ kind }) => kind === 'constant');
}

/** Faults of the values that are known before the run. */
function constantFaults(
  operation: Operation,
  given: { readonly [param: string]: unknown },
  constants: ReadonlyMap<string, readonly QueryValue[]>,
  stage: StageDefinition,
  at: readonly string[],
): FlowFault[] {
  const faults: FlowFault[] = [];
  const times: readonly string[] = timesOf(operation);
  const bounds = ['from', 'to'].filter((param) => times.includes(param) && !Object.hasOwn(given, param));
  // each query has its own bounds
  const own = isBounded(stage, operation) ? bounds.map((param) => [param, '2020-01-31'] as const) : [];
  const first = Object.fromEntries([...own, ...[...constants].map(([param, values]) => [param, values[0]!] as const)]);
  const issues = checkQuery(operation, first);
  const wrong = new Set(issues.map(({ param }) => param));
  const needed = `${bounds.join(' and ')} ${bounds.length === 1 ? 'is' : 'are'}`;
  for (const { param, message } of issues) {
    if (!Object.hasOwn(given, param) || constants.has(param))
      faults.push(
        bounds.includes(param)
          ? { at: [...at, 'split'], message: `${needed} required: say where the days begin, "split": { "from": "2020-01-31" }` }
          : { at: Object.hasOwn(given, param) ? [...at, 'with', param] : [...at, 'with'], message },
      );
  }
  for (const [param, values] of constants) {
    values.forEach((value, index) => {
      if (index === 0) return;
      const issue = checkQuery(operation, { ...first, [param]: value }).find((one) => one.param === param || !wrong.has(one.param));
      const where = [...at, 'with', param];
      if (Array.isArray(given[param]) && issue !== undefined) faults.push({ at: [...where, index], message: issue.message });
      else if (issue !== undefined) faults.push({ at: where, message: `${issue.message}, and days has "${textOfValue(value)}"` });
    });
  }
  return faults;
}

function fieldsOf(binding: Binding): readonly FieldPath[] {
  if (binding.kind === 'constant') return [];
  return binding.kind === 'field' ? [binding] : binding.parts.filter((part) => typeof part !== 'string');
}

/** Wrong keys of `split` that suggest that an area of the map is meant. */
const ofArea: ReadonlySet<string> = new Set(['area', 'within', 'cover', 'box', 'bbox', 'bounds', 'polygon', 'zoom']);

/** The faults of a definition's form. Names aren't checked here. */
export function formatFaults(definition: unknown): readonly FlowFault[] {
  // A service that is a value is checked where it is defined.
  const plain = hasServiceValue(definition) ? { ...definition, service: undefined } : definition;
  const parsed = flowFormats().flow.safeParse(plain);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, definition));
}

function hasServiceValue(definition: unknown): definition is { readonly service: object } {
  return typeof definition === 'object' && definition !== null && 'service' in definition && typeof definition.service === 'object';
}

function faultsOf(issue: z.core.$ZodIssue, definition: unknown): FlowFault[] {
  const at = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  const given = at.reduce<unknown>(ownValue, definition);
  if (issue.code === 'invalid_union') {
    // Of several forms, report the one that the value has. In it, only something inside is wrong.
    const [form, other] = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
    if (form !== undefined && other === undefined)
      return form.flatMap((inner) => faultsOf({ ...inner, path: [...issue.path, ...inner.path] }, definition));
  }
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const { what, keys, needed } = keysAt(at);
        const missing = needed.filter((name) => ownValue(given, name) === undefined);
        // If one key is unknown and one is missing, the missing one was probably meant.
        const isClear = issue.keys.length === 1 && missing.length === 1 && nearestName(key, keys) === undefined;
        const isArea = what === 'split' && ofArea.has(key);
        const meant = isClear ? `; did you mean '${missing[0]}'?` : instead(key, keys);
        const hint = isArea ? useCover : meant;
        return { at: [...at, key], message: `'${key}' is not a key of ${what}${hint}` };
      });
    case 'invalid_key':
      return [
        { at, message: `'${String(at.at(-1))}' can't be a stage's name: it begins with a letter and has only letters, digits, _ and -` },
      ];
    default:
      return [
        {
          at,
          message:
            given === undefined ? `${String(at.at(-1) ?? 'the flow')} is missing` : `${shown(given)} can't stand here: ${issue.message}`,
        },
      ];
  }
}

function noParam({ name, params }: Operation, param: string, services: GivenCheckOptions['others'] = []): string {
  const names = Object.keys(params);
  const others = whoHas(services, name, param);
  if (others !== '') return `${name} has no parameter '${param}' here; ${others}`;
  return `${name} has no parameter '${param}'${instead(param, names, `it has ${names.join(', ')}`)}`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
