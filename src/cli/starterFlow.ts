import {
  fieldAt,
  rowPlaceOf,
  pathsOf,
  rowShape,
  type FanOutSource,
  type FanOutSpec,
  type Operation,
  columnsOf,
  lackingParams,
  pagingKindOf,
  type Service,
  timesOf,
} from '../contract/index.ts';
import type { FlowDefinition, StageDefinition } from '../flow/index.ts';
import { UsageError } from './Command.ts';

/** What a flow to start from is made of. */
interface StarterChoices {
  readonly operation: Operation;
  readonly query: object;
  /** @default 2, or 1 where further pages need a parameter that the query lacks */
  readonly pages?: number | undefined;
  /** @default 'crawl' */
  readonly name?: string | undefined;
  /** The fan-outs to run over its rows. @default none */
  readonly each?: readonly string[] | undefined;
}

/** A flow of one operation and fan-outs over its rows. Throws for fan-outs that can't run over these rows. */
export async function starterFlow(service: Service, choices: StarterChoices): Promise<FlowDefinition> {
  const { operation, query, pages, name = 'crawl', each = [] } = choices;
  const root = {
    call: operation.name,
    with: query,
    ...pagesOf(operation, pages, query),
    ...updateOf(operation, query),
    to: `${operation.name}.csv`,
  } as StageDefinition;
  const fitting = Object.keys(service.fanOuts).filter((value) => canFanOut(operation, service.fanOuts[value]!));
  const unfit = each.find((one) => !fitting.includes(one));
  if (unfit !== undefined) {
    throw new UsageError(`'${unfit}' can't run over the rows of ${operation.name}.`, {
      unknown: { given: unfit, known: fitting, say: (nearest) => `--each ${nearest}` },
      hint: fitting.length === 0 ? undefined : `These can: ${fitting.join(', ')}`,
    });
  }
  const children = each.map((one) => {
    const fanOut = service.fanOuts[one]!;
    const called = service.operations[fanOut.call]!;
    const keep = fanOut.rows === undefined ? parentColumns(operation, called) : {};
    return [
      one,
      {
        call: one,
        each: operation.name,
        ...alsoRequired(called, fanOut, query),
        ...keep,
        ...pagesOf(called, pages, fanOut.with),
        ...updateOf(called, fanOut.with, fanOut.claims),
        to: `${one}.jsonl`,
      } as StageDefinition,
    ] as const;
  });
  const flow: FlowDefinition = { name, stages: { [operation.name]: root, ...Object.fromEntries(children) } };
  await (await import('../flow/index.ts')).planFlow({ ...flow, service }); // refuses a flow that can't be right
  return flow;
}

function pagesOf({ spec: { paging } }: Operation, given: number | undefined, query: object): { readonly pages?: number } {
  const kind = pagingKindOf(paging);
  const pages = given ?? (lackingParams(paging, query).length === 0 ? 2 : undefined);
  return kind.operator === undefined || pages === undefined ? {} : { pages };
}

/**
 * What makes an update cheap and compared, as far as the operation says it: what identifies its rows, and when they are from, if they can
 * be asked for by that. A query whose row above says how many rows it has is left out while that number is the same.
 */
function updateOf(operation: Operation, query: object, claims?: string): Pick<StageDefinition, 'by' | 'seen' | 'since'> {
  const { id, time, order } = operation.spec;
  if (id === undefined) return {};
  const isOrdered = order !== undefined && Object.keys(order).every((param) => !Object.hasOwn(query, param));
  const isAsked = time !== undefined && (isOrdered || timesOf(operation).includes('since'));
  return { by: id, ...(isAsked && { since: claims === undefined ? {} : { unless: claims } }), seen: true };
}

/** What an operation requires and a fan-out leaves to others, as the query above has it: the days of a stay. */
function alsoRequired({ params }: Operation, fanOut: FanOutSpec, query: object): { readonly with?: object } {
  const own = Object.entries(query).filter(([param]) => params[param]?.required === true && !Object.hasOwn(fanOut.with, param));
  return own.length === 0 ? {} : { with: Object.fromEntries(own) };
}

/** The columns that say which row of the stage above a row belongs to: its name to read, and its id to join by. */
function parentColumns(above: Operation, called: Operation): { readonly keep?: object } {
  const has = (operation: Operation, column: string): boolean => columnsOf(operation).some(({ path }) => path === column);
  const fields = [['title', 'name'].find((name) => has(above, name)), above.spec.id];
  const columns = fields
    .filter((field) => field !== undefined)
    .map((field) => [`parent_${field.split('.').at(-1)!}`, `$.${field}`] as const)
    .filter(([column]) => !has(called, column));
  return columns.length === 0 ? {} : { keep: Object.fromEntries(columns) };
}

/**
 * Whether the documented rows of an operation have what a fan-out reads, and lead to something else than themselves.
 * A flow may run it over other rows too: they may have fields that nobody documented.
 */
function canFanOut(operation: Operation, fanOut: FanOutSpec): boolean {
  const { name, params, spec } = operation;
  const list = fanOut.rows === undefined ? spec.rows : fanOut.rows;
  const shape = rowShape(spec.response, list, rowPlaceOf(operation, list));
  if (shape === undefined) return false;
  const itself = fanOut.call === name && fanOut.rows === undefined && fanOut.walks !== true && spec.variants === undefined;
  const reads = (source: FanOutSource): boolean => {
    const { row, query } = pathsOf(source);
    if (query !== undefined) return Object.hasOwn(params, query);
    return row === undefined || ['value', 'list', 'object'].includes(fieldAt(shape, row.replaceAll('[]', '.[]').split('.')).kind);
  };
  return !itself && Object.values(fanOut.with).every((from) => (Array.isArray(from) ? from : [from as FanOutSource]).some(reads));
}
