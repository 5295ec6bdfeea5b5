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
    ...byOf(operation),
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
    const keep = fanOut.rows === undefined ? parentColumn(operation, called) : {};
    return [
      one,
      {
        call: one,
        each: operation.name,
        ...alsoRequired(called, fanOut, query),
        ...keep,
        ...pagesOf(called, pages, fanOut.with),
        ...byOf(called),
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

/** What identifies the rows of an operation, if it says so: several pages or queries may have the same ones. */
function byOf({ spec: { id } }: Operation): { readonly by?: string } {
  return id === undefined ? {} : { by: id };
}

/** What an operation requires and a fan-out leaves to others, as the query above has it: the days of a stay. */
function alsoRequired({ params }: Operation, fanOut: FanOutSpec, query: object): { readonly with?: object } {
  const own = Object.entries(query).filter(([param]) => params[param]?.required === true && !Object.hasOwn(fanOut.with, param));
  return own.length === 0 ? {} : { with: Object.fromEntries(own) };
}

/** A column that says which row of the stage above a row belongs to. */
function parentColumn(above: Operation, called: Operation): { readonly keep?: object } {
  const field = ['title', 'name'].find((name) => columnsOf(above).some(({ path }) => path === name));
  const column = `parent_${field}`;
  return field === undefined || columnsOf(called).some(({ path }) => path === column) ? {} : { keep: { [column]: `$.${field}` } };
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
