import { lastValueFrom, type Observable } from 'rxjs';
import type { PageLike, PageRequest } from '../../operators/index.ts';
import { isPaid, leftIn, type Service } from '../contract/index.ts';
import { formatCount } from '../flow/report/index.ts';

type Account = NonNullable<Service['account']>;

/** Sends the request that shows whether the key works. Gives what is left, as a line, or nothing if the response doesn't say it. */
export async function askLeft(client: object, service: Service, account: Account): Promise<string> {
  const request = client[account.call as keyof typeof client] as unknown as (query: object, options: PageRequest) => Observable<PageLike>;
  const { data } = await lastValueFrom(request(account.with ?? {}, { store: 'skip' }));
  const left = leftIn(account, data);
  return left === undefined ? '' : `What is left at ${service.name}: ${formatCount(left)}.\n`;
}

/** The same after a run, which it doesn't fail: nothing if that request isn't free, or brings nothing within some seconds. */
export async function leftAfter(client: object, service: Service): Promise<string> {
  const { account, price } = service;
  if (account?.left === undefined || isPaid(price, account.call)) return '';
  const late = new Promise<string>((resolve) => setTimeout(resolve, patienceMs, '').unref());
  return Promise.race([askLeft(client, service, account).catch(() => ''), late]);
}

const patienceMs = 3000;
