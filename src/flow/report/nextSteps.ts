import type { AccountLeft, FlowFile, FlowSummary, StageProgress } from '../run/FlowProgress.ts';
import { counterList, type CounterName } from '../core/stageCounters.ts';
import { countOf, describeFirst, formatCount, formatSum, sumInUnit } from './format.ts';

const wasStopped = 'it was stopped'; // not shown: the person who stopped it knows

const maxDrift = 5;
const maxFields = 5;

/** A note or a step for after a run. */
export interface NextStep {
  readonly text: string;
  /** The command or code for it. */
  readonly command?: string;
}

/**
 * The next steps after a run, the most urgent first. `command` is the command that ran the flow, without `--fresh` and
 * `--failures`. If code ran it, the steps are given as code. `isRunning`: it isn't over, so nothing can be started yet.
 */
export function nextSteps(
  { outcome, first, already, update, because, overLimit, stages, files, price, accounts = [], estimates = [], drift = [] }: FlowSummary,
  command: string | undefined,
  isRunning: boolean = false,
): readonly NextStep[] {
  const sum = (pick: 'failed' | 'empty' | 'refused'): number => stages.reduce((total, stage) => total + (stage[pick] ?? 0), 0);
  const [failed, empty, refused] = [sum('failed'), sum('empty'), sum('refused')];
  const emptyIn = stages.flatMap(({ name, empty = 0 }) => (empty === 0 ? [] : [`${formatCount(empty)} of ${name}`]));
  const usedUp = overLimit?.quote !== undefined; // with it, the same command would send nothing
  const given = usedUp ? command?.replace(/ --quote[= ]\S+/, '') : command;
  const typed = given?.replace(/ --update(?= |$)/, '');
  const commandWith = (flag: string, option: string): string =>
    typed === undefined ? `runFlow(flow, { client, outDir${option} })` : `${typed}${flag}`;
  const [updateFlag, updateOption] = [' --update', ', update: true'];
  const resumeCommand = update ? commandWith(updateFlag, updateOption) : (given ?? commandWith('', ''));
  const cost = already ? undefined : costLine(stages, price);
  const unfinished = isRunning || outcome === 'interrupted';
  return [
    ...(outcome === 'interrupted' && !isRunning
      ? [
          ...(first === undefined ? [] : [{ text: `${describeFirst(first)}.` }]),
          {
            text:
              first === undefined
                ? resumeText(because, usedUp ? 'Resume without a quote, or with another' : 'Resume')
                : 'Their rows are in the files that end in .part. Run the rest:',
            command: resumeCommand,
          },
        ]
      : []),
    ...(failed > refused
      ? [
          unfinished
            ? { text: `${queries(failed - refused)} failed.` }
            : { text: `${queries(failed - refused)} failed. Retry:`, command: commandWith(' --failures', ', failures: true') },
        ]
      : []),
    ...(refused > 0
      ? [
          {
            text:
              `${queries(refused)} failed, because ${refused === 1 ? 'it is refused as it is' : 'they are refused as they are'}: ` +
              `see failures.jsonl.`,
          },
        ]
      : []),
    ...stages.flatMap(({ name, doubts }) => doubts.map((doubt) => ({ text: `${name}: ${doubt}${doubt.endsWith('?') ? '' : '.'}` }))),
    ...stages
      .filter(({ short }) => short > 0)
      .map(({ name, short, done, got, claimed, onePage }) => {
        const text =
          `${name}: ${formatCount(short)} of ${queries(done)} ${short === 1 ? 'is' : 'are'} short: ${formatCount(got)} of ` +
          `${formatCount(claimed)} rows.`;
        if (onePage)
          return { text: `${text} See failures.jsonl. Asking again brings no more: ask for longer responses, or divide the query.` };
        if (unfinished || failed > 0) return { text };
        return { text: `${text} Request them again:`, command: commandWith(' --failures', ', failures: true') };
      }),
    ...estimates.map(({ stage, found, atLeast }) => ({
      text:
        `${stage}: ${formatCount(found)} rows were found, and ` +
        `${atLeast > found ? `at least ${formatCount(atLeast)} exist` : 'nothing points to more'}, judging by how many came from ` +
        `several queries.`,
    })),
    ...stages.flatMap(notesOn),
    ...files.flatMap(remarksOn),
    ...drift.slice(0, maxDrift).map(({ operation, path, message, responses, looked }) => ({
      text: `${operation}: not as documented in ${formatCount(responses)} of ${countOf(looked, 'page')} looked at: ${path}: ${message}.`,
    })),
    ...(drift.length > maxDrift ? [{ text: `${drift.length - maxDrift} more fields are not as documented: see datapackage.json.` }] : []),
    ...(empty > 0 ? [{ text: `${queries(empty)} found nothing: ${emptyIn.join(', ')}. They are in empty.jsonl.` }] : []),
    ...stages.flatMap(cappedBy),
    ...(cost === undefined ? [] : [{ text: cost }]),
    ...accounts.map((account) => ({ text: accountText(account) })),
    ...(already
      ? [
          { text: update ? 'Finish the update:' : 'Bring it up to date:', command: commandWith(updateFlag, updateOption) },
          { text: 'Start over:', command: commandWith(' --fresh', ', fresh: true') },
        ]
      : []),
  ];
}

/** What must be said about the rows of a run on the sandbox. */
export function sandboxNote(command: string | undefined): readonly string[] {
  return / --sandbox(?= |$)/.test(command ?? '') ? ['The sandbox made these rows up.'] : [];
}

function resumeText(because: string | undefined, how: string): string {
  return because === undefined || because === wasStopped ? `${how}:` : `${upperFirst(because)}. ${how}:`;
}

/** Which limit ended queries while there was more, and what to do. A stage without a file may be limited on purpose. */
function cappedBy({ name, capped, limits, to }: StageProgress): readonly NextStep[] {
  if (capped === 0) return [];
  const isMeant = to.length === 0 && limits.every((limit) => !limit.endsWith('(the default)'));
  const advice = isMeant ? '' : `. Raise ${limits.length === 1 ? 'it' : 'them'} for the rest`;
  const by = limits.length === 0 ? 'what the service returns' : `${limits.join(' and ')}${advice}`;
  return [{ text: `${name}: ${queries(capped)} ${capped === 1 ? 'was' : 'were'} capped by ${by}.` }];
}

/** A note for each counter of a stage that has one and isn't 0. */
function notesOn(stage: StageProgress): readonly NextStep[] {
  const counts: { readonly [N in CounterName]?: number | undefined } = stage;
  return counterList.flatMap(({ name, note }) => {
    const count = counts[name] ?? 0;
    return note === undefined || count === 0 ? [] : [{ text: `${stage.name}: ${formatCount(count)} ${note[count === 1 ? 0 : 1]}.` }];
  });
}

/** Fields that have no column, and values that the format can't hold. */
function remarksOn({ path, unlisted = {}, replaced = 0 }: FlowFile): readonly NextStep[] {
  const fields = Object.keys(unlisted);
  const more = fields.length > maxFields ? ` and ${fields.length - maxFields} more` : '';
  return [
    ...(fields.length === 0
      ? []
      : [
          {
            text:
              `${path}: no column for ${fields.slice(0, maxFields).join(', ')}${more}: the description doesn't have ` +
              `${fields.length === 1 ? 'it' : 'them'}. A .jsonl file has all fields.`,
          },
        ]),
    ...(replaced === 0
      ? []
      : [
          {
            text:
              `${path}: ${formatCount(replaced)} ${replaced === 1 ? 'value has' : 'values have'} U+FFFD instead of a character that ` +
              `the format can't hold.`,
          },
        ]),
  ];
}

export function accountText({ service, left, unit }: AccountLeft): string {
  return `What is left at ${service}: ${formatCount(left)}${unit === undefined ? '' : ` ${unit}`}.`;
}

function queries(count: number): string {
  return countOf(count, 'query', 'queries');
}

function upperFirst(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * What the pages of a run cost, by stage and for each row. `price`: the price of a request, instead of the service's prices. undefined: no
 * price is known, or no page came.
 */
function costLine(stages: readonly StageProgress[], price: number | undefined): string | undefined {
  const costs = stages.flatMap(({ name, pages, rows, price: own = 0, unit }) => {
    const money = pages * (price ?? own);
    const each = rows === 0 ? '' : `, ${formatSum(Number((money / rows).toPrecision(3)), 0, 9)} a row`;
    return money === 0 ? [] : [{ money, unit: price === undefined ? unit : undefined, each, name }];
  });
  if (costs.length === 0) return undefined;
  const units = [...new Set(costs.map(({ unit }) => unit))];
  const sums = units.map((unit) =>
    sumInUnit(
      costs.reduce((sum, cost) => sum + (cost.unit === unit ? cost.money : 0), 0),
      unit,
    ),
  );
  const parts = costs.map(({ name, money, unit, each }) => `${name} ${sumInUnit(money, unit)}${each}`);
  return `Its pages cost ${sums.join(' and ')}: ${parts.join('; ')}. That is without retries, and as if none came from a store.`;
}
