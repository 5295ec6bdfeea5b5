import { type InnerOptions, type NameOf, OptionKind, type OptionKinds, OptionSet } from './OptionSet.ts';
import { isObject, ownValue } from '../kit/ownValue.ts';
import { like } from './kinds.ts';

const dotted = /^[^.[\]]+(\.[^.[\]]+)*$/;
/** The same, where an entry of a list may be picked: `link[relation=next].url`. */
const picking = /^[^.[\]]+(\[[^.=[\]]+=[^[\]]+\])?(\.[^.[\]]+(\[[^.=[\]]+=[^[\]]+\])?)*$/;
/** The same, where `[]` stands for any entry of a list: `errors[].code`. */
const running = /^[^.[\]]+(\[\])?(\.[^.[\]]+(\[\])?)*$/;

function named(takes: string, fits: (value: unknown) => boolean, nameOf: NameOf): OptionKind<string, undefined> {
  return new OptionKind(takes, fits, undefined, { nameOf, guess: guessPath(fits) });
}
const isDotted = (value: unknown): boolean => typeof value === 'string' && dotted.test(value);
const isPath = (value: unknown): boolean => typeof value === 'string' && picking.test(value);
const isAnyPath = (value: unknown): boolean => isPath(value) || (typeof value === 'string' && running.test(value));
const isName = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** `errors[0].detail` is written `errors.0.detail`. */
function guessPath(fits: (value: unknown) => boolean): (text: string) => string | undefined {
  return (text) => {
    const path = text.replace(/^\$\.?/, '').replace(/\[(\d+)\]/g, '.$1');
    return path !== text && fits(path) ? `'${path}'` : undefined;
  };
}

/** The name of one of the operation's parameters. */
export function param(): OptionKind<string, undefined> {
  return named("a parameter's name", isName, 'param');
}

/** The name of one of the service's operations. */
export function operation(): OptionKind<string, undefined> {
  return named("an operation's name", isName, 'operation');
}

/** Where something is in `data`. The response's shape must have it. */
export function dataPath(): OptionKind<string, undefined> {
  return named('a dotted path in the data', isPath, 'field');
}

/** Where something is in a row. The row's shape must have it. */
export function rowPath(): OptionKind<string, undefined> {
  return named('a dotted path in a row', isDotted, 'column');
}

/** A dotted path in the whole body, or in another part whose shape isn't described. */
export function path(): OptionKind<string, undefined> {
  return new OptionKind('a dotted path', isPath, undefined, { guess: guessPath(isPath) });
}

/** The same, where `[]` stands for any entry of a list: `errors[].code`. */
export function anyPath(): OptionKind<string, undefined> {
  return like('a dotted path', isAnyPath);
}

/** A path at the service, such as `/books`. */
export function slashPath(): OptionKind<`/${string}`, undefined> {
  return like('a path that starts with a slash', (value) => typeof value === 'string' && value.startsWith('/'));
}

export function yes(): OptionKind<true, undefined> {
  return like('true', (value) => value === true);
}

/** An object with these fields. */
export function object<V extends object>(fields: OptionSet): OptionKind<V, undefined> {
  const at = fields.kinds['at'];
  return new OptionKind('an object', isObject, undefined, {
    inside: fields,
    guess: (text) => (at?.fits(text) ? `{ at: '${text}' }` : undefined),
  });
}

/** An object with exactly one of these fields, which decides what other fields it has. */
export function byField<V extends object>(sets: { readonly [field: string]: OptionSet }): OptionKind<V, undefined> {
  const fields = Object.keys(sets);
  const all = new OptionSet(Object.assign({}, ...Object.values(sets).map(({ kinds }) => kinds)) as OptionKinds, 'field');
  const check: InnerOptions['check'] = (caller, given, outer, onName) => {
    all.checkNames(caller, given, outer);
    const there = fields.filter((field) => ownValue(given, field) !== undefined);
    // A field that decides may also be an ordinary field of another set. Then that set's field decides.
    const own = there.filter((field) => !there.some((other) => other !== field && Object.hasOwn(sets[other]!.kinds, field)));
    if (own.length !== 1) {
      const has = own.length === 0 ? 'none of them' : own.join(' and ');
      throw new RangeError(`${caller}: ${outer.slice(0, -1)} must have one of ${fields.join(', ')}, and it has ${has}`);
    }
    const set = sets[own[0]!]!;
    const hasAll = ({ kinds }: OptionSet): boolean => Object.keys(given).every((field) => Object.hasOwn(kinds, field));
    const others = hasAll(set) ? [] : Object.values(sets).filter(hasAll);
    // if all fields fit only one other set, the error is about that one: the field that decides is probably wrong
    (others.length === 1 ? others[0]! : set).check(caller, given, outer, onName);
  };
  const choices = Object.values(sets).map((set) => object(set));
  return new OptionKind('an object', isObject, undefined, { inside: { check, choices } });
}
