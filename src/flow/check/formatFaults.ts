import { ownValue } from '../../../operators/kit/ownValue.ts';
import type { z } from 'zod';
import { nearestName } from '../../contract/index.ts';
import type { FlowFault } from './CheckFlowOptions.ts';
import { flowFormats } from '../definition/flowFormat.ts';
import { keysAt, useCover } from '../definition/flowKeys.ts';

/** Keys that somebody looks for in `split` who wants an area of the map. */
const ofArea: ReadonlySet<string> = new Set(['area', 'within', 'cover', 'box', 'bbox', 'bounds', 'polygon', 'zoom']);

/** The faults of a definition's form. Names aren't checked here. */
export function formatFaults(definition: unknown): readonly FlowFault[] {
  // A service that is a value is checked where it is defined.
  const plain = hasServiceValue(definition) ? { ...definition, service: undefined } : definition;
  const parsed = flowFormats().flow.safeParse(plain);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, definition));
}

function hasServiceValue(definition: unknown): definition is { readonly service: object } {
  return typeof definition === 'object' && definition !== null && 'service' in definition && typeof definition.service === 'object';
}

function faultsOf(issue: z.core.$ZodIssue, definition: unknown): FlowFault[] {
  const at = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  const given = at.reduce<unknown>(ownValue, definition);
  if (issue.code === 'invalid_union') {
    // Of several forms, the one that the value has: only something in it is wrong.
    const [form, other] = issue.errors.filter((issues) => issues.every(({ path }) => path.length > 0));
    if (form !== undefined && other === undefined)
      return form.flatMap((inner) => faultsOf({ ...inner, path: [...issue.path, ...inner.path] }, definition));
  }
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const { what, keys, needed } = keysAt(at);
        const missing = needed.filter((name) => ownValue(given, name) === undefined);
        // One unknown key, and one that is missing: that is probably what it was meant to be.
        const isClear = issue.keys.length === 1 && missing.length === 1 && nearestName(key, keys) === undefined;
        const isArea = what === 'split' && ofArea.has(key);
        const meant = isClear ? `; did you mean '${missing[0]}'?` : instead(key, keys);
        const hint = isArea ? useCover : meant;
        return { at: [...at, key], message: `'${key}' is not a key of ${what}${hint}` };
      });
    case 'invalid_key':
      return [
        { at, message: `'${String(at.at(-1))}' can't be a stage's name: it begins with a letter and has only letters, digits, _ and -` },
      ];
    default:
      return [
        {
          at,
          message:
            given === undefined ? `${String(at.at(-1) ?? 'the flow')} is missing` : `${shown(given)} can't stand here: ${issue.message}`,
        },
      ];
  }
}

/** The name that was probably meant, or all names. */
export function instead(name: string, names: readonly string[], otherwise = 'there are'): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `; ${otherwise} ${names.join(', ')}` : `; did you mean '${nearest}'?`;
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}
