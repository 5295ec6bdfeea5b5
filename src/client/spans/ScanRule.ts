import { fieldsOf, kindOfShape, leafOf, type Field, type Shape, type ResponseIssue } from '../../contract/index.ts';
import type { ValuePath } from '../../../operators/LazyRow.ts';
import { conforms, shapeText } from '../../contract/checkResponse/findIssues.ts';

/** Kinds of JSON values, as bits. */
export const kinds = { text: 1, fraction: 2, whole: 4, flag: 8, nothing: 16, object: 32, list: 64 } as const;
const { text, fraction, whole, flag, nothing, object, list } = kinds;
const anything = text | fraction | whole | flag | nothing | object | list;
const kindsOfLeaf = {
  string: text,
  integer: whole,
  number: whole | fraction,
  boolean: flag,
  unknown: anything,
  object,
  array: list,
  'number|string': whole | fraction | text,
} as const;

/** The path of a value in its row, and all paths that have a number. */
interface Address {
  readonly keys: ValuePath;
  readonly all: ValuePath[];
  /** The row's only fields whose offsets are wanted. undefined: those of all values. */
  readonly only: readonly string[] | undefined;
}

/** A documented shape, prepared for checking values in JSON text. */
export class ScanRule {
  /** The kinds that a value may have. */
  readonly kinds: number;
  /** The only texts that a value may be. */
  readonly texts: ReadonlySet<string> | undefined;
  /** Checks the parsed value. For shapes with alternatives or variable keys. */
  readonly test: ((value: unknown) => boolean) | undefined;
  readonly #fields: readonly Field[];
  readonly #element: Shape | undefined;
  /** The number of its values' path in the row. -1: they are in a list, or are the row. */
  readonly number: number;
  readonly #path: string;
  readonly #address: Address | undefined;
  /** For the values of an object, once there was one. */
  keys: ScanKeys | undefined;
  /** For the elements of a list, once there was one. */
  of: ScanRule | undefined;

  /** `shape` is undefined if nothing is documented. `path` is for messages. `address` is undefined in a list. */
  constructor(shape: Shape | undefined, path: string, address?: Address) {
    const at = shape === undefined ? undefined : kindOfShape(shape);
    const inner = at?.kind === 'nullable' ? kindOfShape(at.of) : at;
    const leaf = inner?.kind === 'leaf' ? leafOf(inner.leaf) : undefined;
    const only = inner?.kind === 'list' ? list : inner?.kind === 'object' ? object : anything;
    const own = leaf === undefined ? only : kindsOfLeaf[leaf.type];
    this.kinds = at?.kind === 'nullable' || leaf?.nullable === true ? own | nothing : own;
    this.texts = leaf?.texts !== undefined && leaf.open !== true ? new Set(leaf.texts) : undefined;
    this.test = shape !== undefined && (inner?.kind === 'oneOf' || inner?.kind === 'map') ? (value) => conforms(shape, value) : undefined;
    this.#fields = inner?.kind === 'object' ? fieldsOf(inner.object) : [];
    this.#element = inner?.kind === 'list' ? inner.of : undefined;
    this.#path = path;
    this.#address = address;
    this.number = address === undefined || address.keys.length === 0 ? -1 : address.all.push(address.keys) - 1;
  }

  ofElements(): ScanRule {
    return (this.of = new ScanRule(this.#element, `${this.#path}[]`));
  }

  ofValues(): ScanKeys {
    return (this.keys = new ScanKeys(this.#fields, this.#path, this.#address));
  }
}

const maxKeys = 2000; // of one object. If there are more, the keys are data
const oddKey = /^(?:0|[1-9]\d*)?$|\\/; // JSON.parse sorts whole numbers, an escape may hide a key that occurs twice, '' is no word

/** The keys that the objects of one rule have. */
export class ScanKeys {
  /** Leads to the key that came first the last time. */
  readonly start: { next: ScanKey<ScanRule> | undefined } = { next: undefined };
  /** The documented keys that no object may lack. */
  readonly required: readonly ScanKey<ScanRule>[];
  readonly #keys = new Map<string, ScanKey<ScanRule>>();
  readonly #fields: ReadonlyMap<string, Field>;
  readonly #path: string;
  readonly #address: Address | undefined;

  constructor(fields: readonly Field[], path: string, address: Address | undefined) {
    this.#fields = new Map(fields.map((field) => [field.name, field]));
    this.#path = path;
    this.#address = address;
    this.required = fields.filter(({ optional }) => !optional).map(({ name }) => this.#add(tokenOf(name), name));
  }

  /** The key that stands in a body as `token`. undefined: the object has to be parsed. */
  get(token: string): ScanKey<ScanRule> | undefined {
    return this.#keys.get(token) ?? this.#new(token);
  }

  #new(token: string): ScanKey<ScanRule> | undefined {
    const name = Buffer.from(token.slice(1, -2), 'latin1').toString();
    return this.#keys.size >= maxKeys || oddKey.test(name) ? undefined : this.#add(token, name);
  }

  #add(token: string, name: string): ScanKey<ScanRule> {
    const field = this.#fields.get(name);
    const path = this.#path === '' ? name : `${this.#path}.${name}`;
    const rule = new ScanRule(field?.shape, path, addressIn(this.#address, name));
    const issue = field === undefined ? undefined : { path, message: `expected ${shapeText(field.shape)}, got nothing` };
    const key = new ScanKey(token, rule, issue);
    if (!oddKey.test(name)) this.#keys.set(token, key);
    return key;
  }
}

/** The address of a value in an object. undefined: its offsets aren't wanted. */
function addressIn(object: Address | undefined, key: string): Address | undefined {
  if (object === undefined) return undefined;
  const { keys, all, only } = object;
  return only === undefined || (keys.length === 0 && only.includes(key)) ? { keys: [...keys, key], all, only } : undefined;
}

function tokenOf(name: string): string {
  return Buffer.from(`${JSON.stringify(name)}:`).toString('latin1');
}

/** A key of an object, with the rule of its value. */
export class ScanKey<Rule> {
  readonly rule: Rule;
  /** What to report if an object lacks it. undefined: it isn't documented. */
  readonly missing: ResponseIssue | undefined;
  /** The last object that had it. */
  seenIn = 0;
  /** The key that followed it the last time. */
  next: ScanKey<Rule> | undefined;
  /** The length of `"key":`, as it stands in the body. */
  readonly length: number;
  /** Its bytes, four in a word. The last word begins four bytes before the end. */
  readonly #words: Int32Array;

  /** `token` is `"key":` as it stands in the body, one character for each byte. */
  constructor(token: string, rule: Rule, missing: ResponseIssue | undefined) {
    this.rule = rule;
    this.missing = missing;
    this.length = token.length;
    this.#words = wordsOf(token);
  }

  /**
   * Whether the key stands at this offset of a body of `size` bytes. A third faster than comparing bytes, and half as slow as
   * `startsWith`.
   */
  isAt(body: DataView, size: number, offset: number): boolean {
    const words = this.#words;
    const last = offset + this.length - 4;
    if (last + 4 > size) return false; // `body.byteLength` calls a function of V8
    for (let word = 0, at = offset; at < last; word++, at += 4) if (body.getInt32(at, true) !== words[word]) return false;
    return body.getInt32(last, true) === words[words.length - 1];
  }
}

function wordsOf(token: string): Int32Array {
  const bytes = Buffer.from(token, 'latin1');
  const offsets = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, word) => Math.min(word * 4, bytes.length - 4));
  return Int32Array.from(offsets, (offset) => bytes.readInt32LE(offset));
}
