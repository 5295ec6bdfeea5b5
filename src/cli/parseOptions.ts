import { parseArgs, parseEnv } from 'node:util';
import type { Operation } from '../contract/index.ts';
import { type OptionTable, type OptionValues, UsageError } from './Command.ts';
import { type OptionKind, number, whole } from '../../operators/options/index.ts';
import { readFileSync } from 'node:fs';

interface Parsed<T extends OptionTable> {
  readonly values: OptionValues<T>;
  readonly positionals: readonly string[];
}

const refused = new Set(['apikey', 'key', 'token', 'xapikey']);

/**
 * Reads a command's arguments. Options may stand before or after the positionals, as `--name value` or `--name=value`; a value
 * may begin with a dash. One that isn't in `table` is an error that names the nearest one.
 */
export function parseOptions<const T extends OptionTable>(argv: readonly string[], table: T, command: string): Parsed<T> {
  const options = Object.fromEntries(Object.entries(table).map(([name, { type }]) => [name, { type }]));
  const { tokens } = parseArgs({ args: [...argv], options, strict: false, tokens: true, allowPositionals: true });
  const values = new Map<string, string | number | boolean | string[]>();
  const positionals: string[] = [];
  let open: { readonly name: string; readonly index: number } | undefined; // a switch that may be followed by its value
  for (const token of tokens) {
    if (token.kind === 'positional') {
      if (open?.index === token.index - 1 && /^(true|false)$/.test(token.value)) values.set(open.name, token.value === 'true');
      else positionals.push(token.value);
    }
    if (token.kind !== 'option') continue;
    const { name, rawName } = token;
    const spec = Object.hasOwn(table, name) ? table[name] : undefined;
    if (spec === undefined) throw unknownOption(rawName, Object.keys(table), command);
    if (values.has(name) && spec.multiple !== true) throw new UsageError(`${rawName} is given twice.`);
    if (spec.type === 'boolean') {
      values.set(name, switched(rawName, token.value));
      if (token.value === undefined) open = { name, index: token.index };
    } else if (token.value === undefined) throw new UsageError(`${rawName} needs a value: ${rawName} ${spec.value ?? 'VALUE'}`);
    else if (spec.multiple === true) values.set(name, [...((values.get(name) as string[] | undefined) ?? []), token.value]);
    else values.set(name, spec.number === undefined ? token.value : numberOption(name, token.value, spec.number));
  }
  return { values: Object.fromEntries(values) as OptionValues<T>, positionals };
}

/** The value of an option on which other options depend. It is read first. */
export function optionIn(argv: readonly string[], name: string): string | undefined {
  const at = argv.findIndex((arg) => arg === `--${name}` || arg.startsWith(`--${name}=`));
  return at < 0 ? undefined : argv[at] === `--${name}` ? argv[at + 1] : argv[at]!.slice(name.length + 3);
}

/** The parameters of an operation as options: `--NAME`, and `--query.NAME` for those with the name of another option. */
export function paramOptions({ params }: Operation): OptionTable {
  return Object.fromEntries(
    Object.entries(params).flatMap(([param, { type, about = '' }]) => {
      const single = { type: type === 'boolean' ? type : 'string', about } as const;
      const option = type === 'strings' || type === 'array' ? ({ ...single, multiple: true } as const) : single;
      return [[param, option] as const, [`query.${param}`, option] as const];
    }),
  );
}

function switched(rawName: string, value: string | undefined): boolean {
  if (value === undefined || value === 'true') return true;
  if (value === 'false') return false;
  throw new UsageError(`${rawName} is a switch: it is 'true' or 'false', not '${value}'.`);
}

function unknownOption(rawName: string, names: readonly string[], command: string): UsageError {
  if (refused.has(rawName.replace(/[^a-z]/gi, '').toLowerCase())) {
    return new UsageError('The API key is not taken from the command line, where every process on the machine can read it.', {
      hint: 'Set it in the environment: TRAWLER_API_KEY',
    });
  }
  return new UsageError(`${command} has no option ${rawName}.`, {
    unknown: { given: rawName.replace(/^-+/, ''), known: names, say: (nearest) => `--${nearest}` },
    hint: `See: ${command} --help`,
  });
}

/** The number in the value of an option, if it is of this kind. */
export function numberOption(name: string, text: string, kind: OptionKind<number>): number {
  const [, digits, percent] = /^(\d+(?:\.\d+)?)(%?)$/.exec(text) ?? [];
  const value = digits === undefined ? Number.NaN : Number(digits) / (percent === '%' ? 100 : 1);
  if (!kind.fits(value)) throw new UsageError(`--${name} is ${kind.takes}, not '${text}'.`);
  return value;
}

/** How many days have passed in a sandbox. */
export const dayFlag = { type: 'string', number: whole({ from: 0, to: 3650 }), value: 'N' } as const;

/** What the page of a run and a plan count money with. */
export const priceOption = {
  price: { type: 'string', number: number({ from: 0 }), value: 'P', about: 'price of one request, in any currency' },
} as const;

/** Adds the variables of the file that --env names to the environment. One that is set already, and not empty, stays as it is. */
export function readEnvFile(argv: readonly string[]): void {
  const path = optionIn(argv, 'env');
  if (path === undefined) return;
  try {
    for (const [name, value] of Object.entries(parseEnv(textOf(readFileSync(path))))) process.env[name] ||= value;
  } catch (error) {
    const isGone = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw new UsageError(isGone ? `--env: there is no file ${path}.` : `--env: ${path} can't be read as a file of variables.`, {
      hint: "Copy .env.example, which 'trawler init' writes, and fill it in. It has lines such as TRAWLER_API_KEY=….",
    });
  }
}

/** Editors and shells of Windows begin a file with a mark, and some of them write UTF-16. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder(bytes[0] === 0xff && bytes[1] === 0xfe ? 'utf-16le' : 'utf-8').decode(bytes);
}
