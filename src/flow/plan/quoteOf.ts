import { requestPrice, type Service } from '../../contract/index.ts';
import { sha256 } from '../../files/blocks.ts';
import type { Flow, FlowStage } from '../definition/Flow.ts';
import type { FlowPlan, Quote } from './FlowPlan.ts';

/** A quote allows this many times the requests that the first queries suggest. */
const reserve = 2;

/** The most that a plan allows, or twice what its first queries let expect. `price`: of a request, in place of the service's prices. */
export function quoteOf(flow: Flow, { stages, requests, first }: Omit<FlowPlan, 'quote'>, price: number | undefined): Quote {
  const most = Math.min(requests.atMost, first?.all === undefined ? Infinity : Math.max(1, reserve * first.all));
  const isKnown = most < Infinity;
  const prices = stages.map(({ name }) => price ?? highestPrice(flow.byName.get(name)!));
  const byStage = stages.reduce((sum, stage, at) => sum + (prices[at] === 0 ? 0 : Math.min(stage.requests.atMost, most) * prices[at]!), 0);
  const money = Math.min(byStage, most * Math.max(...prices));
  const made = {
    name: flow.name,
    ...(isKnown ? { most } : {}),
    ...(isKnown && money > 0 ? { money: Number(money.toPrecision(12)) } : {}),
    digest: flow.digest,
    definition: { ...flow.definition, service: undefined },
    service: { name: flow.service.name, digest: digestOfServices(flow) },
  };
  const id = sha256()
    .update(JSON.stringify([made.digest, made.service, made.most]))
    .digest('hex')
    .slice(0, 12);
  return { id, at: Date.now(), ...made };
}

/** What a request of a stage costs at the dearest of its services. */
function highestPrice(stage: FlowStage): number {
  return Math.max(...[stage, ...stage.others].map(({ service, operation }) => requestPrice(service.price, operation) ?? 0));
}

/** Why a flow can't run within a quote: what has changed since. undefined: nothing has. */
export function quoteFault({ id, digest, definition, service }: Quote, flow: Flow): string | undefined {
  if (service.name !== flow.service.name) return `the quote ${id} is for the service ${service.name}, not ${flow.service.name}`;
  if (service.digest !== digestOfServices(flow)) return `the description of the service ${service.name} has changed since the quote ${id}`;
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

function digestOfServices({ services }: Flow): string {
  const [first, ...others] = services.map(partsOf);
  return sha256()
    .update(JSON.stringify(others.length === 0 ? first : [first, ...others]))
    .digest('hex')
    .slice(0, 16);
}

function partsOf({ operations, price, baseUrl }: Service): readonly unknown[] {
  return [Object.values(operations).map(({ spec }) => spec), price, baseUrl];
}
