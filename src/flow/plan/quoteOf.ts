import { requestPrice, type Service } from '../../contract/index.ts';
import { sha256 } from '../../files/blocks.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowPlan, Quote, QuoteRange, Range } from './FlowPlan.ts';

/** Costs are skewed: the interval of Student's t misses the truth twice as often as it says. */
const skew = 1.5;
/** Of n queries that were sampled, one more in n + 1 may be larger than all of them: by so many times the mean. */
const unseenSize = 8;
/** Retries, and second looks at the ends of walks. */
const besides = 1.15;
/** What a sample that was cut off may be short by. */
const cutOff = 10;

/** The quote of a plan that was sampled. Where nothing bounds the requests, it has the reason instead. */
export function quoteOf(flow: Flow, plan: FlowPlan): Quote | string {
  const { sampled } = plan;
  if (sampled === undefined) return 'a quote needs a sample: add sample';
  const widened = (range: Range): QuoteRange => widen(range, sampled);
  const requests = widened(plan.requests);
  if (requests.high === Infinity) return 'one sampled query says nothing of the others: sample two at least';
  const priced = plan.stages.map((stage) => [widened(stage.requests), requestPrice(flow.service.price, stage.call) ?? 0] as const);
  const money = (of: keyof QuoteRange): number =>
    Number(priced.reduce((sum, [range, price]) => sum + Math.min(range[of], requests.high) * price, 0).toPrecision(12));
  const hasPrice = priced.some(([, price]) => price > 0);
  const made = {
    name: flow.name,
    requests,
    ...(hasPrice ? { money: { mean: money('mean'), low: money('low'), high: money('high') } } : {}),
    why: reasons(sampled, requests),
    digest: flow.digest,
    definition: { ...flow.definition, service: undefined },
    service: { name: flow.service.name, digest: digestOfService(flow.service) },
  };
  const id = sha256()
    .update(JSON.stringify([made.digest, made.service, requests]))
    .digest('hex')
    .slice(0, 12);
  return { id, at: Date.now(), ...made };
}

type Sampled = NonNullable<FlowPlan['sampled']>;

/** A range that is honest before it is narrow: the truth lies in it at least nine times of ten. */
function widen({ atLeast, atMost, expected }: Range, { roots, of, cut = false }: Sampled): QuoteRange {
  const most = atMost === Infinity ? Infinity : Math.ceil(atMost * besides);
  if (expected === undefined) return { mean: atLeast, low: atLeast, high: most };
  const { mean, low, high } = expected;
  if (low === high && roots === of && !cut) return { mean, low, high: Math.min(most, Math.ceil(mean * besides)) };
  const unseen = of === 0 ? 0 : (unseenSize * mean * (1 - roots / of)) / (roots + 1);
  const reach =
    cut || high === Infinity ? (roots < 2 && of > 1 ? Infinity : mean * cutOff) : (mean + skew * (high - mean) + unseen) * besides;
  return {
    mean,
    low: Math.max(atLeast, Math.floor(cut ? atLeast : mean - skew * (mean - low))),
    high: Math.min(most, Math.max(Math.ceil(reach), 1)),
  };
}

function reasons({ roots, of, requests, cut = false }: Sampled, { low, high }: QuoteRange): readonly string[] {
  return [
    ...(cut ? [`the sample ended after ${requests} requests, before it had seen a whole query`] : []),
    ...(roots < of ? [`${roots} of ${of} first queries were sampled, and others may be larger`] : []),
    ...(high > 2 * low ? ['the range is wide, because costs of queries differ and little of them was seen'] : []),
  ];
}

/** Why a flow can't run within a quote: what has changed since. undefined: nothing has. */
export function quoteFault({ id, digest, definition, service }: Quote, flow: Flow): string | undefined {
  if (service.name !== flow.service.name) return `the quote ${id} is for the service ${service.name}, not ${flow.service.name}`;
  if (service.digest !== digestOfService(flow.service))
    return `the description of the service ${service.name} has changed since the quote ${id}`;
  if (digest === flow.digest) return undefined;
  const changed = differences(definition, { ...flow.definition, service: undefined }, '');
  const what = changed.length === 0 ? 'a value that it reads from outside' : changed.slice(0, 5).join(', ');
  return `the flow has changed since the quote ${id}: ${what}`;
}

/** Where two values differ, by path. */
function differences(one: unknown, other: unknown, path: string): readonly string[] {
  if (JSON.stringify(one) === JSON.stringify(other)) return [];
  const areObjects = [one, other].every((value) => typeof value === 'object' && value !== null && !Array.isArray(value));
  if (!areObjects) return [path];
  const [before, after] = [one, other] as { readonly [key: string]: unknown }[];
  return [...new Set([...Object.keys(before!), ...Object.keys(after!)])].flatMap((key) =>
    differences(before![key], after![key], path === '' ? key : `${path}.${key}`),
  );
}

function digestOfService({ operations, price, basePath }: Service): string {
  const specs = Object.values(operations).map(({ spec }) => spec);
  return sha256()
    .update(JSON.stringify([specs, price, basePath]))
    .digest('hex')
    .slice(0, 16);
}
