import { clientEvents, type ClientEvent } from './clientEvents.ts';

type Line = (event: ClientEvent) => string | undefined;

/** An event as one line for a person. undefined if it isn't worth one. */
export function describeEvent(event: ClientEvent): string | undefined {
  return (clientEvents[event.type].line as Line)(event);
}
