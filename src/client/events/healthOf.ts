import { Observable, ReplaySubject, share } from 'rxjs';
import { BudgetError } from '../../errors/index.ts';
import type { Clock } from '../Clock.ts';
import type { ClientEvent } from './clientEvents.ts';

/** The service's own term. */
export type HealthState = 'Healthy' | 'Available Limited' | 'Mostly unavailable' | 'No data' | 'Loading';
type Health = { readonly [operation: string]: HealthState };

/** The health of each operation over the last minute. It counts only while somebody looks. */
export function healthOf(operations: readonly string[], events: Observable<ClientEvent>, clock: Clock): Observable<Health> {
  const health = new Observable<Health>((subscriber) => {
    /** What happened in each second: requests sent, calls that ended, and those that got a page at the first attempt. */
    const minutes = new Map(operations.map((name) => [name, [] as { at: number; sent: number; ended: number; good: number }[]]));
    let told = '';
    const tell = (): void => {
      const states = [...minutes].map(([name, minute]): [string, HealthState] => {
        while (minute.length > 0 && minute[0]!.at <= clock.now() / 1000 - 60) minute.shift();
        const sum = (of: 'sent' | 'ended' | 'good'): number => minute.reduce((total, second) => total + second[of], 0);
        if (sum('ended') === 0) return [name, sum('sent') > 0 ? 'Loading' : 'No data'];
        return [
          name,
          sum('good') >= 0.95 * sum('ended') ? 'Healthy' : sum('good') >= 0.5 * sum('ended') ? 'Available Limited' : 'Mostly unavailable',
        ];
      });
      if (told !== (told = states.join())) subscriber.next(Object.fromEntries(states));
    };
    const count = (event: ClientEvent): void => {
      if (event.type === 'failure' ? event.attempt === 0 || event.error instanceof BudgetError : !/^re(quest|sponse)$/.test(event.type))
        return;
      const [minute, at] = [minutes.get(event.operation)!, Math.floor(clock.now() / 1000)];
      if (minute.at(-1)?.at !== at) minute.push({ at, sent: 0, ended: 0, good: 0 });
      minute.at(-1)![event.type === 'request' ? 'sent' : 'ended']++;
      if (event.type === 'response' && event.attempt === 1) minute.at(-1)!.good++;
      tell();
    };
    let cancel: () => void;
    const tick = (): void => {
      cancel = clock.after(1000, tick, 'idle');
      tell();
    };
    tick();
    subscriber.add(() => cancel());
    subscriber.add(events.subscribe({ next: count, complete: () => subscriber.complete() }));
  });
  return health.pipe(share({ connector: () => new ReplaySubject(1) }));
}
