import { channel } from 'node:diagnostics_channel';
import { Subject, type Observable } from 'rxjs';
import { printable } from '../response/printable.ts';
import type { ClientEvent } from './clientEvents.ts';

const published = channel('trawler');
const debug = process.getBuiltinModule('node:util').debuglog('trawler');
const debugs = debug.enabled;

/**
 * Sends a client's events to its listeners: `events$`, the diagnostics channel 'trawler', and, with NODE_DEBUG=trawler,
 * standard error. Check `on` before creating an event, because usually there is no listener.
 */
export class EventHub {
  readonly #events = new Subject<ClientEvent>();
  readonly stream: Observable<ClientEvent> = this.#events.asObservable();

  get on(): boolean {
    return this.#events.observed || published.hasSubscribers || debugs;
  }

  emit(event: ClientEvent): void {
    if (published.hasSubscribers) published.publish(event);
    if (debugs) debug('%s', printable(line(event)));
    this.#events.next(event);
  }

  complete(): void {
    this.#events.complete();
  }
}

function line(event: ClientEvent): string {
  const { type, operation, at: _, ...rest } = event;
  const fields = Object.entries(rest).map(([name, value]) => {
    return `${name}=${value instanceof Error ? `${value.name}: ${value.message}` : JSON.stringify(value)}`;
  });
  return [type, operation, ...fields].join(' ');
}
