import { Observable } from 'rxjs';
import { currentDemand } from '../../../operators/demand/demandScope.ts';
import { onAbort } from '../../../operators/kit/onAbort.ts';
import { serviceOfClient } from '../../client/flowAccess.ts';
import { compileFlow } from '../definition/compileFlow.ts';
import type { Flow } from '../definition/Flow.ts';
import type { FlowDefinition } from '../definition/flowFormat.ts';
import type { FlowProgress } from './FlowProgress.ts';
import { checkMode, runFlowOptions, type RunFlowOptions } from './RunFlowOptions.ts';

/**
 * Runs a flow. Cold: nothing happens until you subscribe. The last value is the summary. Unsubscribing stops
 * new requests, finishes the commit and closes. The next run resumes there and never requests a committed page again.
 *
 * It fails only if it can't continue: the key is refused, the disk is full, or the folder is in use. Pages
 * received until then are committed if possible.
 *
 * ```ts
 * const summary = await lastValueFrom(runFlow(flow, { client, outDir: 'out' }));
 * ```
 */
export function runFlow(flow: Flow | FlowDefinition, options: RunFlowOptions): Observable<FlowProgress> {
  const given = runFlowOptions.read('runFlow', options);
  checkMode('runFlow', given);
  const { fileSystem } = given;
  const service = serviceOfClient(options.client);
  const known = [options.client, ...(options.clients ?? [])].flatMap((client) => serviceOfClient(client) ?? []);
  const services = Object.fromEntries(known.map((each) => [each.name, each]));
  const destinations = Object.keys(options.destinations ?? {});
  const compiled = 'digest' in flow ? flow : compileFlow(flow, { service, services, destinations, fileSystem });
  return new Observable((subscriber) => {
    const stopping = new AbortController();
    const demand = currentDemand();
    const tell = (event: FlowProgress): void => subscriber.next(event);
    const { signal } = options;
    if (signal !== undefined) subscriber.add(onAbort(signal, () => stopping.abort(signal.reason)));
    // Most of a flow's code is for runs. Programs that check, plan or draw don't load it.
    import('./performRun.ts')
      .then(({ performRun }) => performRun(compiled, { ...given, signal: stopping.signal }, demand, tell))
      .then(
        () => subscriber.complete(),
        (error: unknown) => subscriber.error(error),
      );
    return () => stopping.abort();
  });
}
