import { sandboxKey, type Service } from '../contract/index.ts';
import { sha256 } from '../files/blocks.ts';
import { Purse } from '../ledger/Purse.ts';
import type { Given } from './options/resolveKey.ts';
import type { Settings } from './options/resolveOptions.ts';

const accountLength = 12;

/** The balance of a service and an account. The account is a digest of its key. */
export function balanceOf({ name }: Pick<Service, 'name'>, { key, user = '' }: Pick<Given, 'key' | 'user'>): string {
  const account =
    key === ''
      ? 'none'
      : sha256()
          .update(JSON.stringify([name, user, key]))
          .digest('hex')
          .slice(0, accountLength);
  return `${name} ${account}`;
}

/** What a client may spend, if there is a ledger. The sandbox and replays cost nothing. */
export function purseFor({ ledger, service, store, clock, fileSystem }: Settings, given: Given): Purse | undefined {
  const at = ledger ?? process.env['TRAWLER_LEDGER'];
  if (!at || store?.mode === 'replay' || given.key.split(':')[0] === sandboxKey) return undefined;
  return new Purse({
    open: async () => (await import('../ledger/openLedger.ts')).openLedger(at, fileSystem),
    balance: balanceOf(service, given),
    who: process.env['TRAWLER_WHO'] ?? ownName(),
    price: service.price,
    clock,
  });
}

function ownName(): string {
  const { hostname, userInfo } = process.getBuiltinModule('node:os');
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname(); // the user of a container may have no name
  }
}
