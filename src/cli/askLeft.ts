import { lastValueFrom, type Observable } from 'rxjs';
import type { PageLike, PageRequest } from '../../operators/index.ts';
import { isPaid, leftIn, type Service } from '../contract/index.ts';
import type { AccountLeft } from '../flow/index.ts';

type Account = NonNullable<Service['account']>;

/** Sends the request that shows whether the key works. Gives what is left. undefined: the response doesn't say it. */
export async function askLeft(client: object, service: Service, account: Account): Promise<number | undefined> {
  const request = client[account.call as keyof typeof client] as unknown as (query: object, options: PageRequest) => Observable<PageLike>;
  const { data } = await lastValueFrom(request(account.with ?? {}, { store: 'skip' }));
  return leftIn(account, data);
}

/** The same after a run, which it doesn't fail: nothing if that request isn't free, or brings nothing within some seconds. */
export async function leftAfter(client: object, service: Service): Promise<readonly AccountLeft[]> {
  const { name, account, price } = service;
  if (account?.left === undefined || isPaid(price, account.call)) return [];
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, patienceMs, undefined).unref());
  const left = await Promise.race([askLeft(client, service, account).catch(() => undefined), late]);
  return left === undefined ? [] : [{ service: name, left }];
}

const patienceMs = 3000;
