import { type Store, parseAge } from '../store/index.ts';
import { type OptionValues, UsageError } from './Command.ts';

/** The options of every command that can take responses from a store. */
export const storeOptions = {
  store: { type: 'string', value: 'DIR', about: 'take stored responses from this folder, and store what is requested' },
  replay: { type: 'string', value: 'DIR', about: 'take all responses from this folder; send no request; needs no key' },
  'max-age': { type: 'string', value: 'AGE', about: 'with --store: request what is older, such as 12h or 7d (no limit)' },
} as const;

/** The store that the options name; undefined where they name none. */
export async function openStoreFor(values: OptionValues<typeof storeOptions>): Promise<Store | undefined> {
  const { folder, maxAgeMs } = storeNamed(values);
  if (folder === undefined) return undefined;
  const { openStore } = await import('../store/index.ts');
  return openStore(folder, { mode: values.replay === undefined ? 'reuse' : 'replay', maxAgeMs });
}

/** The folder that the options name, and the age. */
function storeNamed(values: OptionValues<typeof storeOptions>): {
  readonly folder: string | undefined;
  readonly maxAgeMs: number | undefined;
} {
  if (values.store !== undefined && values.replay !== undefined) {
    throw new UsageError('--store requests what is missing and --replay requests nothing. Use one of them.');
  }
  const folder = values.store ?? values.replay;
  const maxAgeMs = ageOption('max-age', values['max-age']);
  if (folder === undefined && maxAgeMs !== undefined) throw new UsageError('--max-age goes with --store DIR or --replay DIR.');
  return { folder, maxAgeMs };
}

/** The value of an option that is a length of time, in milliseconds; undefined when it isn't given. */
export function ageOption(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const ms = parseAge(text);
  if (ms === undefined) throw new UsageError(`--${name} is a length of time such as 30m, 12h, 7d or 2w, not '${text}'.`);
  return ms;
}
