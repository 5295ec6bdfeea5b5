import { failureKinds } from '../../errors/failureKinds.ts';
import type { Refusal } from '../admission/Task.ts';
import type { ClientCore } from '../ClientCore.ts';
import { failureError, type AttemptFailure } from './AttemptFailure.ts';
import type { OutageChange } from './Outage.ts';

type About = { readonly operation: string; readonly query: object };

/** Notes the outcome of an attempt. Tells listeners when an outage begins, has lasted too long, and is over. `failure`: undefined for a page. */
export function heedOutage(core: ClientCore, about: About, failure?: AttemptFailure): void {
  const { outage, settings } = core;
  const now = settings.clock.now();
  const lastedMs = outage.lastedMs(now);
  const kind = failure && failureKinds[failure.kind];
  const failed = (refused: boolean): OutageChange | undefined =>
    outage.failed(now, refused, `${about.operation} ${JSON.stringify(about.query)}`);
  const change = kind?.passes === true ? failed(kind.pace === 'refused' || kind.pace === 'nothing') : outage.succeeded();
  if (change !== undefined) tell(core, about, change, lastedMs);
}

/** Refuses a call that would wait for the end of an outage that has lasted too long, with the last error. */
export function outageRefusal(core: ClientCore, failure: AttemptFailure): Refusal {
  const note = outageNote(core);
  return ({ operation, query = {}, attempts = 0 }) =>
    failureError(failure, note, { operation, query, attempts }, (text) => core.transport.secrets.redact(text));
}

/** How long nothing has got through, as the rest of a sentence. */
export function outageNote({ outage, settings }: ClientCore): string {
  return `; no request has got through for ${Math.round(outage.lastedMs(settings.clock.now()) / 1000)} s, longer than retry.outageMs allows`;
}

function tell({ events, settings }: ClientCore, { operation, query }: About, state: OutageChange, lastedMs: number): void {
  if (events.on) events.emit({ type: 'outage', operation, query, at: settings.clock.wall(), state, lastedMs });
}
