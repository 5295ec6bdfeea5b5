import { Observable } from 'rxjs';
import { currentDemand, withDemand, type DemandNode } from '../../operators/index.ts';

export interface FakeAdmission {
  /** A request that responds with `value` once it was admitted, and a task later. */
  readonly request: <T>(name: string, value: () => T) => Observable<T>;
  /** Names in the order in which they were admitted. */
  readonly sent: string[];
  readonly waiting: () => number;
  readonly maxWaiting: () => number;
}

/** A client's admission in small: nearest to the sink first, none whose way to the sink is held. */
export function fakeAdmission(concurrency: number, later: (run: () => void) => void = (run) => void setImmediate(run)): FakeAdmission {
  interface Request {
    readonly name: string;
    readonly node: DemandNode | undefined;
    readonly send: () => void;
  }
  const waiting = new Set<Request>();
  const sent: string[] = [];
  let inFlight = 0;
  let most = 0;

  const pump = (): void => {
    while (inFlight < concurrency) {
      let next: Request | undefined;
      for (const request of waiting) {
        const holder = request.node?.holder();
        if (holder !== undefined) holder.wait({ resume: pump, letGo: () => false });
        else if (next === undefined || (request.node?.depth ?? -1) < (next.node?.depth ?? -1)) next = request;
      }
      if (next === undefined) return;
      waiting.delete(next);
      inFlight += 1;
      sent.push(next.name);
      next.send();
    }
  };

  const request = <T>(name: string, value: () => T): Observable<T> =>
    new Observable((subscriber) => {
      const node = currentDemand();
      let state: 'waiting' | 'sent' | 'over' = 'waiting';
      const over = (): void => {
        if (state === 'sent') inFlight -= 1;
        state = 'over';
      };
      const entry: Request = {
        name,
        node,
        send() {
          state = 'sent';
          later(() => {
            if (state !== 'sent') return;
            over();
            withDemand(node, () => {
              subscriber.next(value());
              subscriber.complete();
            });
            pump();
          });
        },
      };
      waiting.add(entry);
      most = Math.max(most, waiting.size);
      pump();
      return () => {
        waiting.delete(entry);
        if (state === 'over') return;
        over();
        pump();
      };
    });
  return { request, sent, waiting: () => waiting.size, maxWaiting: () => most };
}
