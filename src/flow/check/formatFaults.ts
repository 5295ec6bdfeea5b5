import type { z } from 'zod';
import { nearestName } from '../../contract/index.ts';
import type { Fault } from './Fault.ts';
import { flowFormat, flowKeys, stageKeys } from './flowFormat.ts';

const comparisons = ['=', '!=', '>', '>=', '<', '<=', 'exists'];

/** What of a definition isn't in the format, whatever the names in it mean. */
export function formatFaults(definition: unknown): readonly Fault[] {
  const parsed = flowFormat.safeParse(definition);
  return parsed.success ? [] : parsed.error.issues.flatMap((issue) => faultsOf(issue, definition));
}

function faultsOf(issue: z.core.$ZodIssue, definition: unknown): Fault[] {
  const at = issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key));
  const given = valueAt(definition, at);
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) => {
        const known = at.length === 0 ? flowKeys : at.length === 2 ? stageKeys : comparisons;
        return {
          at: [...at, key],
          message: `'${key}' is not a key of ${at.length === 0 ? 'a flow' : at.length === 2 ? 'a stage' : 'a comparison'}${instead(key, known)}`,
        };
      });
    case 'invalid_key':
      return [
        { at, message: `'${String(at.at(-1))}' can't be a stage's name: it begins with a letter and has only letters, digits, _ and -` },
      ];
    case 'invalid_union':
      return [{ at, message: `${shown(given)} is none of what can stand here: ${wanted(at)}` }];
    default:
      return [
        {
          at,
          message:
            given === undefined
              ? `${String(at.at(-1) ?? 'the flow')} is missing`
              : `${shown(given)} can't stand here: ${wanted(at) ?? issue.message}`,
        },
      ];
  }
}

/** What the key that was probably meant is called, or all there are. */
export function instead(name: string, names: readonly string[]): string {
  const nearest = nearestName(name, names);
  return nearest === undefined ? `; there are ${names.join(', ')}` : `; did you mean '${nearest}'?`;
}

const wants: { readonly [key: string]: string } = {
  call: 'the name of an operation',
  each: "a stage, several stages, a seed file, or '-'",
  with: 'an object of parameters; each a text, a number, true, false, or a list of those',
  pages: "a whole number from 1 on, or 'all'",
  limit: 'a whole number from 1 on',
  rows: 'a dotted path',
  keep: "an object of columns; each '$.field' or a constant",
  where: 'an object of fields; each a value, a list of values, or comparisons such as {">=": 4}',
  pick: 'a list of fields',
  by: 'a field, or a list of fields',
  to: 'a file, or a list of files',
  onError: "'aside' or 'stop'",
  cursor: 'a dotted path',
  name: 'a text that is not empty',
  stages: 'an object of stages, by name',
  maxRequests: 'a whole number from 1 on',
  failAbove: 'a share from 0 to 1',
};

function wanted(at: readonly (string | number)[]): string | undefined {
  if (at.length === 0) return 'an object with a name and stages';
  if (at[0] !== 'stages' || at.length === 1) return wants[String(at[0])];
  return at.length === 2 ? 'an object with the keys of a stage' : wants[String(at[2])];
}

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? typeof value;
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

function valueAt(value: unknown, at: readonly (string | number)[]): unknown {
  let inside = value;
  for (const key of at) {
    if (typeof inside !== 'object' || inside === null || !Object.hasOwn(inside, key)) return undefined;
    inside = (inside as { readonly [key: string | number]: unknown })[key];
  }
  return inside;
}
