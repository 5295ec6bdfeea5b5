import type { Fault } from '../sandbox/index.ts';
import { UsageError } from './UsageError.ts';

/** `status,status=503,nth=1` as a fault. What reads as a number, a list or a switch in JSON is one, anything else is text. */
export function faultOption(text: string): Fault {
  const [fault, ...pairs] = text.split(/,(?=[a-zA-Z]+=)/);
  if (fault === undefined || !/^[a-zA-Z]+$/.test(fault)) {
    throw new UsageError(`--fault is a name, then options: status,status=503,nth=1. It can't be '${text}'.`);
  }
  const options = pairs.map((pair) => {
    const [name, ...value] = pair.split('=');
    return [name, jsonOrText(value.join('='))] as const;
  });
  return { fault, ...Object.fromEntries(options) } as Fault; // startSandbox checks it, and names the faults there are
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}
