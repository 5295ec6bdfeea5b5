import type { Splits } from './Splits.ts';
import { latitudeAt, longitudeAt, mapX, mapY } from './mercator.ts';
import type { View } from './Reach.ts';

type AreaSpec = Pick<NonNullable<Splits['area']>, 'write'>;

/** Where to search, as the value of an operation's parameter. */
export function writeView({ write }: AreaSpec, { x, y, zoom }: View): string {
  // a ten-millionth of a degree is a centimetre
  const text = { latitude: latitudeAt(y).toFixed(7), longitude: longitudeAt(x).toFixed(7), zoom: String(zoom) };
  return write.replaceAll(/\{(latitude|longitude|zoom)\}/g, (_, name: keyof typeof text) => text[name]);
}

/** Parses it back. Undefined for any other text. */
export function readView({ write }: AreaSpec, text: string): View | undefined {
  const names = [...write.matchAll(/\{(\w+)\}/g)].map((match) => match[1]!);
  const pattern = write.replaceAll(/[.*+?^$()|[\]\\]/g, String.raw`\$&`).replaceAll(/\{\w+\}/g, String.raw`(-?\d+(?:\.\d+)?)`);
  const found = new RegExp(`^${pattern}$`).exec(text);
  if (found === null) return undefined;
  const values = Object.fromEntries(names.map((name, index) => [name, Number(found[index + 1])]));
  return { x: mapX(values['longitude']!), y: mapY(values['latitude']!), zoom: values['zoom']! };
}
