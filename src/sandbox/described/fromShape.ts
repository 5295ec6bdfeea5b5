import { fieldsOf, kindOfShape, leafOf } from '../../contract/Shape.ts';
import type { Leaf, MapShape, ObjectShape, Shape } from '../../contract/Shape.ts';
import type { Random } from '../world/Random.ts';
import { followedSite } from '../world/webPage.ts';
import { instantAgo, phrase, prose, slug } from '../world/words.ts';

/** A random value of a shape. `name`: the field that it is for. */
export function fromShape(shape: Shape, random: Random, name = ''): unknown {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf':
      return leafValue(at.leaf, random, name);
    case 'list':
      return Array.from({ length: random.int(0, 3) }, () => fromShape(at.of, random, name));
    case 'nullable':
      return random.chance(1 / 8) ? null : fromShape(at.of, random, name);
    case 'hint':
      return fromShape(at.of, random, name);
    case 'oneOf':
      return fromShape(random.pick(at.union.$oneOf), random, name);
    case 'map':
      return mapValue(at.map, random);
    default:
      return objectValue(at.object, random);
  }
}

function objectValue(shape: ObjectShape, random: Random): object {
  const present = fieldsOf(shape).filter(({ optional }) => !optional || !random.chance(1 / 6));
  return Object.fromEntries(present.map((field) => [field.name, fromShape(field.shape, random, field.name)]));
}

function mapValue({ $map, $known, $suffix, $twin }: MapShape, random: Random): object {
  const keys = Array.from({ length: random.int(1, 3) }, () => slug(phrase(random, 2)));
  return {
    ...Object.fromEntries(keys.map((key) => [key, fromShape($map, random, key)])),
    ...($twin !== undefined && Object.fromEntries(keys.map((key) => [`${key}${$suffix}`, fromShape($twin, random, key)]))),
    ...($known !== undefined && objectValue($known, random)),
  };
}

function leafValue(leaf: Leaf, random: Random, name: string): unknown {
  const { type, nullable, texts } = leafOf(leaf);
  if (nullable && random.chance(1 / 8)) return null;
  if (texts !== undefined) return random.pick(texts);
  switch (type) {
    case 'integer':
      return random.int(0, 1000);
    case 'number':
    case 'number|string':
      return /(rating|stars)$/i.test(name) ? random.int(20, 50) / 10 : random.int(0, 1000) / 10;
    case 'boolean':
      return random.chance(0.5);
    case 'object':
      return {};
    case 'array':
      return [];
    default:
      return textFor(name, random);
  }
}

/** A text for a field. Its name tells whether it should be an address, a phone number or a time. */
function textFor(name: string, random: Random): string {
  if (/(url|link|href|uri|site)$/i.test(name)) {
    const host = random.chance(1 / 8) ? `www.${followedSite}` : `${slug(phrase(random, 1))}.example`;
    return `https://${host}/${random.key(8)}`;
  }
  if (/phone$/i.test(name)) return `+1 212 555 01${random.digits(2)}`;
  if (/(date|time|_at|At)$/.test(name)) return instantAgo(random.int(0, 365));
  return prose(random, 1, 6);
}
