import type { RunFlowOptions } from './RunFlowOptions.ts';

type Mode = Pick<RunFlowOptions, 'fresh' | 'failures' | 'update' | 'first'>;

/** Throws a RangeError if a run can't do all of this at once. */
export function checkMode(caller: string, mode: Mode): void {
  const fault = modeFault(mode);
  if (fault !== undefined) throw new RangeError(`${caller}: ${fault}`);
}

/** Why a run can't do all of this at once. undefined: it can. `say`: how an option is written. */
export function modeFault({ fresh, failures, update, first }: Mode, say = (option: string): string => option): string | undefined {
  if (first !== undefined && (failures === true || update === true))
    return `${say('first')} begins a run and ${say(failures === true ? 'failures' : 'update')} works on a finished one. Use one of them.`;
  if (failures !== true) return undefined;
  if (fresh === true) return `${say('fresh')} starts over and ${say('failures')} adds to what is there. Use one of them.`;
  return update === true ? `${say('update')} requests what is new and ${say('failures')} only what failed. Use one of them.` : undefined;
}
