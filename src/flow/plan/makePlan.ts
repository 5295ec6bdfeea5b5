import { destinationTable, destinationNamed, type Destinations } from '../load/RunLoads.ts';
import type { Flow } from '../definition/Flow.ts';
import { boundStages } from './boundStages.ts';
import { countRoots, readFirst } from './firstQueries.ts';
import { requireFormats } from '../state/FlowFiles.ts';
import { requirePostgres } from '../../sinks/requirePackages.ts';
import type { FlowPlan, PlanStage, Range, ServicePlan } from './FlowPlan.ts';
import { requestPrice } from '../../contract/index.ts';
import { quoteOf } from './quoteOf.ts';

interface PlanOptions {
  readonly price?: number | undefined;
  readonly outDir?: string | undefined;
  readonly destinations?: Destinations | undefined;
}

/** The plan of a flow whose options are checked. Throws if a package is missing that its run needs. */
export async function makePlan(asWritten: Flow, { price, outDir, destinations }: PlanOptions): Promise<FlowPlan> {
  const flow = asWritten.at(Date.now());
  requireFormats(flow);
  if (destinations === undefined) {
    for (const { to, scheme } of flow.stages.flatMap(({ targets }) => targets)) if (scheme === 'postgres') requirePostgres(to);
  } else await checkDestinations(flow, destinations);
  const stages = boundStages(flow, await countRoots(flow));
  const requests = totalRequests(stages, flow);
  const services = servicesOfPlan(flow, stages);
  const first = outDir === undefined ? undefined : readFirst(flow, outDir);
  const plan = {
    name: flow.name,
    stages: price === undefined ? stages : stages.map((stage): PlanStage => ({ ...stage, price: priced(stage.requests, price) })),
    requests,
    ...(price === undefined ? {} : { price: priced(requests, price) }),
    ...(first === undefined ? {} : { first }),
    ...(services.length === 1 && services[0]!.price.atMost === 0 ? {} : { services }),
  };
  return { ...plan, quote: quoteOf(flow, plan, price) };
}

/** The requests that each service may get: none if others answer, all if the others are out. */
function servicesOfPlan({ services, byName }: Flow, stages: readonly PlanStage[]): readonly ServicePlan[] {
  return services.map((service) => {
    const asked = stages.flatMap(({ name, requests }) => {
      const stage = byName.get(name)!;
      const all = [stage, ...stage.others];
      const at = all.find((one) => one.service === service);
      if (at === undefined) return [];
      const price = requestPrice(service.price, at.operation) ?? 0;
      const range = { atLeast: all.length === 1 ? requests.atLeast : 0, atMost: requests.atMost };
      return [{ range, price: priced(range, price) }];
    });
    const sum = (of: 'range' | 'price'): Range => ({
      atLeast: asked.reduce((total, one) => total + one[of].atLeast, 0),
      atMost: asked.reduce((total, one) => total + one[of].atMost, 0),
    });
    return { name: service.name, requests: sum('range'), price: sum('price'), unit: service.price?.unit };
  });
}

function priced({ atLeast, atMost }: Range, price: number): Range {
  const product = (count: number): number => (price === 0 ? 0 : count * price);
  return { atLeast: product(atLeast), atMost: product(atMost) };
}

/** The requests of all stages, as far as the flow's own budget lets them. */
function totalRequests(stages: readonly PlanStage[], { maxRequests }: Flow): Range {
  const sum = (of: keyof Range): number => stages.reduce((total, { requests }) => total + requests[of], 0);
  return { atLeast: Math.min(sum('atLeast'), maxRequests), atMost: Math.min(sum('atMost'), maxRequests) };
}

/** Throws if a table can't take the rows of its stage. Changes nothing. */
async function checkDestinations(flow: Flow, destinations: Destinations): Promise<void> {
  for (const stage of flow.stages)
    for (const target of stage.targets)
      await destinationNamed(destinations, target.scheme).check?.(destinationTable(flow, stage, target, 'a plan'));
}
