import { ownValue } from '../../../operators/kit/ownValue.ts';
import { optionError } from '../../../operators/options/OptionSet.ts';
import { Random } from '../world/Random.ts';
import type { FaultAction } from '../SandboxCall.ts';
import { type Fault, faultAction, faultWhen } from './faults.ts';

interface Rule {
  readonly fault: Fault;
  readonly action: FaultAction;
  readonly random: Random;
  seen: number;
  played: number;
}

/** Decides which fault, if any, is played on a request or a connection. */
export class FaultPlan {
  private readonly rules: readonly Rule[];

  constructor(faults: readonly Fault[], seed: string, operations: readonly string[]) {
    this.rules = faults.map((fault, index) => {
      checkWhen(fault, operations);
      return { fault, action: faultAction(fault), random: new Random(`${seed}\0fault\0${index}`), seen: 0, played: 0 };
    });
  }

  /** The fault for a request; every rule that matches counts it, the first that is due plays. */
  forRequest(operation: string, query: { readonly [param: string]: string }): Rule | undefined {
    return this.due(this.rules.filter(({ fault, action }) => action.connect === undefined && matches(fault, operation, query)));
  }

  /** The fault for a connection that was just accepted. */
  forConnection(): Rule | undefined {
    return this.due(this.rules.filter(({ action }) => action.connect !== undefined));
  }

  private due(rules: readonly Rule[]): Rule | undefined {
    let chosen: Rule | undefined;
    for (const rule of rules) {
      const { nth, share = 1, times = Infinity } = rule.fault;
      rule.seen++;
      const drawn = share >= 1 || rule.random.chance(share);
      const counted = nth === undefined || listed(nth).includes(rule.seen);
      if (chosen === undefined && drawn && counted && rule.played < times) chosen = rule;
    }
    if (chosen !== undefined) chosen.played++;
    return chosen;
  }
}

function matches({ operation, query }: Fault, name: string, texts: { readonly [param: string]: string }): boolean {
  if (operation !== undefined && !listed<string>(operation).includes(name)) return false;
  return query === undefined || Object.entries(query).every(([param, text]) => ownValue(texts, param) === text);
}

function listed<T extends string | number>(value: T | readonly T[]): readonly T[] {
  return typeof value === 'object' ? value : [value];
}

function checkWhen(fault: Fault, operations: readonly string[]): void {
  const { operation, query, nth, share, times } = fault;
  const caller = `startSandbox: the fault '${fault.fault}'`;
  faultWhen.check(caller, { operation, query, nth, share, times });
  for (const name of listed<string>(operation ?? [])) {
    if (!operations.includes(name)) throw optionError(caller, 'operation', 'the name of an operation', name, operations);
  }
  const ofRequests = operation === undefined ? 'query' : 'operation';
  if ('at' in fault && fault.at === 'connect' && fault[ofRequests] !== undefined)
    throw optionError(caller, ofRequests, "left out: 'connect' comes before any request", fault[ofRequests]);
}
