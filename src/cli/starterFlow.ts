import { pagingKindOf, columnsOf, type Operation, type Service } from '../contract/index.ts';
import type { FlowDefinition, StageDefinition } from '../flow/index.ts';
import type { Asker } from './Asker.ts';
import { UsageError } from './UsageError.ts';

/** What a flow to start from is made of. */
interface StarterChoices {
  readonly operation: Operation;
  readonly query: object;
  /** @default 2, or 1 where further pages need a parameter that the query lacks */
  readonly pages?: number | undefined;
  /** @default 'crawl' */
  readonly name?: string | undefined;
  /** The fan-outs to run over its rows. @default those that the person at the terminal chooses */
  readonly each?: readonly string[] | undefined;
}

/** A flow of one operation and fan-outs over its rows. Throws for fan-outs that can't run over these rows. */
export async function starterFlow(service: Service, choices: StarterChoices, asker: Asker): Promise<FlowDefinition> {
  const { operation, query, pages, name = 'crawl' } = choices;
  const root = { call: operation.name, with: query, ...pagesOf(operation, pages, query), to: `${operation.name}.csv` } as StageDefinition;
  const fitting = await fanOutsFor(operation.name, root, service);
  const each = choices.each ?? (fitting.length > 0 && asker.canAsk ? await asker.chooseAny('What else, for each row?', fitting) : []);
  const unfit = each.find((one) => !fitting.some(({ value }) => value === one));
  if (unfit !== undefined) {
    const known = fitting.map(({ value }) => value);
    throw new UsageError(`'${unfit}' can't run over the rows of ${operation.name}.`, {
      unknown: { given: unfit, known, say: (nearest) => `--each ${nearest}` },
      hint: known.length === 0 ? undefined : `These can: ${known.join(', ')}`,
    });
  }
  const children = each.map((one) => {
    const called = service.operations[service.fanOuts[one]!.call]!;
    const keep = parentColumn(operation, called);
    return [
      one,
      {
        call: one,
        each: operation.name,
        ...keep,
        ...pagesOf(called, pages, service.fanOuts[one]!.with),
        to: `${one}.jsonl`,
      } as StageDefinition,
    ] as const;
  });
  const flow: FlowDefinition = { name, stages: { [operation.name]: root, ...Object.fromEntries(children) } };
  await (await import('../flow/index.ts')).planFlow(flow); // refuses a flow that can't be right
  return flow;
}

function pagesOf({ spec: { paging } }: Operation, given: number | undefined, query: object): { readonly pages?: number } {
  const kind = pagingKindOf(paging);
  const pages = given ?? (kind.needs(paging).every((param) => Object.hasOwn(query, param)) ? 2 : undefined);
  return kind.operator === undefined || pages === undefined ? {} : { pages };
}

/** A column that says which row of the stage above a row belongs to. */
function parentColumn(above: Operation, called: Operation): { readonly keep?: object } {
  const field = ['title', 'name'].find((name) => columnsOf(above).some(({ path }) => path === name));
  const column = `parent_${field}`;
  return field === undefined || columnsOf(called).some(({ path }) => path === column) ? {} : { keep: { [column]: `$.${field}` } };
}

/** The ready fan-outs that find what they need in the rows of a stage: those that the check of flows accepts. */
async function fanOutsFor(
  name: string,
  root: StageDefinition,
  service: Service,
): Promise<readonly { readonly value: string; readonly about: string }[]> {
  const { checkFlow } = await import('../flow/index.ts');
  return Object.entries(service.fanOuts)
    .filter(([, { call, rows }]) => call !== name || rows !== undefined) // its own rows would be found once more
    .filter(
      ([fanOut]) =>
        checkFlow({ name: 'x', stages: { [name]: root, [fanOut]: { call: fanOut, each: name } } } as FlowDefinition, { service }).length ===
        0,
    )
    .map(([value, { about }]) => ({ value, about }));
}
