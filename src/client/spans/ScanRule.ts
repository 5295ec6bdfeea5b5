import { fieldsOf, kindOfShape, leafOf, type ResponseIssue, type Field, type Shape } from '../../contract/index.ts';
import type { ValuePath } from '../../../operators/LazyRow.ts';
import { conforms } from '../../contract/checkResponse/conforms.ts';
import { shapeText } from '../../contract/checkResponse/shapeText.ts';

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

/** The place of a value in its row, and the places that were numbered before. */
interface Place {
  readonly keys: ValuePath;
  readonly all: ValuePath[];
  /** The row's only fields with a place. undefined: all values have one. */
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
  readonly #place: Place | undefined;
  #keys: KeyNode | undefined;
  #of: ScanRule | undefined;

  /** `shape` is undefined if nothing is documented. `path` is the place of the value, for messages. `place` is undefined in a list. */
  constructor(shape: Shape | undefined, path: string, place?: Place) {
    const at = shape === undefined ? undefined : kindOfShape(shape);
    const inner = at?.kind === 'nullable' ? kindOfShape(at.of) : at;
    const leaf = inner?.kind === 'leaf' ? leafOf(inner.leaf) : undefined;
    const only = inner?.kind === 'list' ? list : inner?.kind === 'object' ? object : anything;
    const own = leaf === undefined ? only : kindsOfLeaf[leaf.type];
    this.kinds = at?.kind === 'nullable' || leaf?.nullable === true ? own | nothing : own;
    this.texts = leaf?.texts !== undefined && leaf.open !== true ? new Set(leaf.texts) : undefined;
    this.test = shape !== undefined && (inner?.kind === 'oneOf' || inner?.kind === 'map') ? conforms(shape) : undefined;
    this.#fields = inner?.kind === 'object' ? fieldsOf(inner.object) : [];
    this.#element = inner?.kind === 'list' ? inner.of : undefined;
    this.#path = path;
    this.#place = place;
    this.number = place === undefined || place.keys.length === 0 ? -1 : place.all.push(place.keys) - 1;
  }

  /** For the elements of a list. */
  get of(): ScanRule {
    return (this.#of ??= new ScanRule(this.#element, `${this.#path}[]`));
  }

  /** Where an object's keys begin. */
  get keys(): KeyNode {
    return (this.#keys ??= new KeyNode({ fields: this.#fields, path: this.#path, place: this.#place, rules: new Map(), size: 0 }));
  }
}

/** What all keys of one object share. */
interface KeyTree {
  readonly fields: readonly Field[];
  readonly path: string;
  readonly place: Place | undefined;
  readonly rules: Map<string | undefined, ScanRule>;
  size: number;
}

const largest = 2000; // keys of a tree. If there are more, the keys are data
const oddKey = /^(?:0|[1-9]\d*)?$|\\/; // JSON.parse sorts whole numbers, an escape may hide a key that occurs twice, '' is no word

/**
 * A key of an object, after the keys before it. The objects of a list have the same keys in a few orders. For each order
 * this is worked out once: the rule of each value, that no key occurs twice, and which keys are missing.
 */
export class KeyNode {
  /** The length of `"key":`, as it stands in the body. */
  readonly length: number;
  /** Its bytes, four in a word. The last word begins four bytes before the end. */
  readonly #words: Int32Array;
  readonly key: string | undefined;
  readonly rule: ScanRule;
  readonly #tree: KeyTree;
  readonly #before: KeyNode | undefined;
  readonly #index: number;
  readonly #next: KeyNode[] = [];
  readonly #indexes = new Map<string, number>();
  #missing: readonly ResponseIssue[] | undefined;

  constructor(tree: KeyTree, before?: KeyNode, token = '') {
    this.length = token.length;
    this.#words = wordsOf(token);
    this.#tree = tree;
    this.#before = before;
    const key = before === undefined ? undefined : nameIn(token);
    this.key = key;
    this.#index = before === undefined ? -1 : before.#index + 1;
    let rule = tree.rules.get(key);
    if (rule === undefined) {
      const field = tree.fields.find(({ name }) => name === key);
      const { place } = tree;
      const own = key === undefined || place === undefined ? undefined : placeOf(key, place);
      tree.rules.set(key, (rule = new ScanRule(field?.shape, join(tree.path, key ?? ''), own)));
    }
    this.rule = rule;
  }

  /** The key at `at`, if it was seen after this one before. */
  find(body: DataView, at: number): KeyNode | undefined {
    const next = this.#next;
    for (let i = 0; i < next.length; i++) if (next[i]!.#isAt(body, at)) return next[i];
    return undefined;
  }

  #isAt(body: DataView, at: number): boolean {
    const words = this.#words;
    const last = at + this.length - 4;
    if (last + 4 > body.byteLength) return false;
    for (let word = 0, from = at; from < last; word++, from += 4) if (body.getInt32(from, true) !== words[word]) return false;
    return body.getInt32(last, true) === words[words.length - 1];
  }

  /** Remembers a key that follows this one. undefined: the object has to be parsed. */
  add(token: string): KeyNode | undefined {
    const key = nameIn(token);
    if (this.#tree.size >= largest || oddKey.test(key) || this.indexOf(key) !== -1) return undefined;
    this.#tree.size++;
    const node = new KeyNode(this.#tree, this, token);
    this.#next.push(node);
    return node;
  }

  /** The number of keys before the one of this name. -1 if there is none up to here. */
  indexOf(name: string): number {
    let index = this.#indexes.get(name);
    if (index === undefined) this.#indexes.set(name, (index = this.key === name ? this.#index : (this.#before?.indexOf(name) ?? -1)));
    return index;
  }

  /** Documented fields that an object lacks if it ends here. */
  get missing(): readonly ResponseIssue[] {
    if (this.#missing !== undefined) return this.#missing;
    const { fields, path } = this.#tree;
    const lacking = fields.filter(({ name, optional }) => !optional && this.indexOf(name) === -1);
    return (this.#missing = lacking.map(({ name, shape }) => ({
      path: join(path, name),
      message: `expected ${shapeText(shape)}, got nothing`,
    })));
  }
}

/** The place of an object's value. undefined: it isn't wanted. */
function placeOf(key: string, { keys, all, only }: Place): Place | undefined {
  if (only !== undefined && (keys.length > 0 || !only.includes(key))) return undefined;
  return { keys: [...keys, key], all, only };
}

function wordsOf(token: string): Int32Array {
  const bytes = Buffer.from(token, 'latin1');
  const places = Array.from({ length: Math.ceil(bytes.length / 4) }, (_, word) => Math.min(word * 4, bytes.length - 4));
  return Int32Array.from(places, (at) => bytes.readInt32LE(at));
}

function nameIn(token: string): string {
  return Buffer.from(token.slice(1, -2), 'latin1').toString();
}

function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}
