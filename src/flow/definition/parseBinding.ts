import { parsePath, type FieldPath } from '../../../operators/kit/path.ts';
import type { ParamInput } from './flowFormat.ts';
import { type ParamSpec, type QueryValue, meansTime, timeFault, timeText, writtenTime } from '../../contract/index.ts';

/** A value of a query, compiled: a constant, a field of the row, or text with fields in it. */
export type Binding =
  | { readonly kind: 'constant'; readonly value: string | number | boolean }
  | ({ readonly kind: 'field' } & FieldPath)
  | { readonly kind: 'text'; readonly parts: readonly (string | FieldPath)[] };

/** A kept column, compiled: a value of the row, or of the query that finds the rows. */
export type KeptBinding = Binding | QueryBinding;

/** A parameter of the query, or what its value says. */
export interface QueryBinding {
  readonly kind: 'query';
  readonly param: string;
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | undefined;
  readonly read?: (value: QueryValue) => QueryValue | undefined;
}

/** The parameter that `$query.param` names, as a kept column does. undefined: it names none. */
export function queryParamIn(input: ParamInput): string | undefined {
  return typeof input === 'string' && input.startsWith('$query.') ? input.slice('$query.'.length) : undefined;
}

/** The reason why a value can't be read, as a sentence. */
export interface BindingFault {
  readonly kind: 'fault';
  readonly message: string;
}

/** What a flow may read besides rows: a part of the environment, and the clock. */
export interface FlowEnv extends FlowClock {
  readonly values: { readonly [name: string]: string | undefined };
  /** The names that the flow lists. */
  readonly allowed: readonly string[];
}

/** API keys must not get into queries, because those are written to files. */
const isKey = (name: string): boolean => name.endsWith('_API_KEY');

/** `$.field` inside text, without braces or a second `$` before it. */
const bareField = /(?<!\$|\$\{)\$\.([A-Za-z_]\w*)/;

/**
 * Reads one value of `with` or `keep`: `$.field`, text containing `${$.field}`, `${env.NAME}` or `${now}`, or a constant.
 * `$$.` and `$${` stand for the characters without the first `$`.
 */
export function parseBinding(input: ParamInput, env: FlowEnv): Binding | BindingFault {
  if (typeof input !== 'string') return { kind: 'constant', value: input };
  if (input.startsWith('$.')) {
    const field = parsePath(input.slice(2));
    return field === undefined
      ? fault(`'${input}' isn't a path: write $.field, $.object.field or $.list[].field`)
      : { kind: 'field', ...field };
  }
  const bare = bareField.exec(input)?.[1];
  if (bare !== undefined)
    return fault(`'$.${bare}' is only text here: inside other text write \${$.${bare}}, or $$.${bare} for the characters themselves`);

  const parts: (string | FieldPath)[] = [];
  let text = '';
  let at = 0;
  for (const match of input.matchAll(/\$\$\{|\$\{([^{}]*)\}/g)) {
    text += input.slice(at, match.index).replaceAll('$$.', '$.');
    at = match.index + match[0].length;
    const inside = match[1];
    if (inside === undefined) text += '${';
    else if (inside.startsWith('env.')) {
      const name = inside.slice(4);
      if (isKey(name)) return fault(`\${env.${name}} is the client's own, and a flow is written to disk: leave it to the client`);
      if (!env.allowed.includes(name)) return fault(`\${env.${name}} isn't allowed: list it in the flow, "env": ["${name}"]`);
      const value = env.values[name];
      if (value === undefined) return fault(`the environment has no ${name}, which \${env.${name}} stands for`);
      text += value;
    } else if (meansMoment(inside)) {
      const moment = momentText(inside, env);
      if (typeof moment === 'object') return fault(moment.message);
      text += moment;
    } else {
      const field = inside.startsWith('$.') ? parsePath(inside.slice(2)) : undefined;
      if (field === undefined || field.keys.includes('[]')) {
        return fault(
          `'\${${inside}}' can't be read: write \${$.field}, \${env.NAME}, \${now} or \${today}, or $\${ for the characters themselves`,
        );
      }
      if (text !== '') parts.push(text);
      text = '';
      parts.push(field);
    }
  }
  text += input.slice(at).replaceAll('$$.', '$.');
  if (parts.length === 0) return { kind: 'constant', value: text };
  if (text !== '') parts.push(text);
  return { kind: 'text', parts };
}

export function fault(message: string): BindingFault {
  return { kind: 'fault', message };
}

/** A value of a parameter, compiled: one of a kept column, a list or an object made of such values, or values made from another one. */
export type ParamBinding = Binding | MadeBinding | EachBinding | AfterBinding;

/** Several values that are made from one of the row: the days of a calendar, the points of an area. */
interface EachBinding {
  readonly kind: 'each';
  readonly from: Binding;
  /** The most values for one row. */
  readonly most: number;
  readonly valuesOf: (value: QueryValue) => readonly QueryValue[];
}

/** A day that many days after another parameter's. */
export interface AfterBinding {
  readonly kind: 'after';
  readonly param: string;
  readonly days: number;
}

export interface MadeBinding {
  readonly kind: 'made';
  readonly isList: boolean;
  readonly entries: readonly (readonly [key: string, value: ParamBinding])[];
}

/**
 * The values that a stage gives a parameter. If the parameter takes a list, a list is one value, and a list of lists is several. The ids of
 * a batch are several values, because their queries share requests anyway.
 */
export function paramInputs(param: ParamSpec | undefined, given: unknown): readonly unknown[] {
  if (!Array.isArray(given)) return [given];
  if (param?.batch !== undefined) return given.map((one: unknown) => (Array.isArray(one) ? one : [one]));
  const takesList = param?.type === 'strings' || param?.type === 'array';
  return !takesList || given.every(Array.isArray) ? given : [given];
}

/** Reads one value of a parameter. Texts inside lists and objects may hold fields, too. */
export function parseParam(input: unknown, env: FlowEnv): ParamBinding | BindingFault {
  if (typeof input !== 'object' || input === null) return parseBinding(input as ParamInput, env);
  const entries: (readonly [string, ParamBinding])[] = [];
  for (const [key, value] of Object.entries(input)) {
    const binding = parseParam(value, env);
    if (binding.kind === 'fault') return binding;
    entries.push([key, binding]);
  }
  return { kind: 'made', isList: Array.isArray(input), entries };
}

/** The single values that a value is made of. */
export function leavesOf(binding: ParamBinding): readonly Binding[] {
  switch (binding.kind) {
    case 'made':
      return binding.entries.flatMap(([, value]) => leavesOf(value));
    case 'each':
      return [binding.from];
    case 'after':
      return [];
    default:
      return [binding];
  }
}

/** What `${now}` and `${today}` stand for. */
export interface FlowClock {
  /** When the run began, in milliseconds since 1970. undefined: `${now}` and `${today}` stay as they are. */
  readonly now: number | undefined;
  /** The time zone that days are of. */
  readonly zone: string;
}

const names = ['now', 'today'] as const;

/** Whether a value contains `${now}` or `${today}`. */
export function isTimed(input: unknown): boolean {
  return /(?<!\$)\$\{(now|today)\b/.test(JSON.stringify(input) ?? '');
}

/** Whether a name between braces is meant as a moment. */
function meansMoment(inside: string): boolean {
  return meansTime(inside, names);
}

/** The text that an expression such as `now-7d` stands for. An object: what is wrong with it. */
export function momentText(inside: string, { now, zone }: FlowClock): string | { readonly message: string } {
  const message = timeFault(inside, names);
  if (message !== undefined) return { message };
  return now === undefined ? `\${${inside}}` : String(writtenTime(timeText(inside)!, undefined, { now, zone }));
}
