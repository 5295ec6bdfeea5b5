import { sandboxKey } from '../contract/index.ts';
import { balanceOf } from '../ledger/balanceOf.ts';
import { ownName } from '../ledger/ownName.ts';
import { Purse } from '../ledger/Purse.ts';
import type { Given } from './options/resolveKey.ts';
import type { Settings } from './options/resolveOptions.ts';

/** What a client may spend, if there is a ledger. The sandbox and replays cost nothing. */
export function purseFor({ ledger, service, store, clock, fileSystem }: Settings, given: Given): Purse | undefined {
  const at = ledger ?? process.env['TRAWLER_LEDGER'];
  if (!at || store?.mode === 'replay' || given.key.split(':')[0] === sandboxKey) return undefined;
  return new Purse({
    open: async () => (await import('../ledger/openLedger.ts')).openLedger(at, fileSystem),
    balance: balanceOf(service, given),
    who: ownName(),
    price: service.price,
    clock,
  });
}
