import type { EnvelopeSpec } from './Service.ts';

/** What a response says, before a service wraps it. */
export interface ResponseParts {
  readonly data: unknown;
  /** @default the code of success */
  readonly code?: number | string | boolean | undefined;
  readonly message?: string | undefined;
  readonly requestId?: string | undefined;
  readonly timestamp?: number | undefined;
}

/** The body of a response: each part where the service's envelope has it. */
export function wrapResponse(envelope: EnvelopeSpec = {}, parts: ResponseParts): unknown {
  if (envelope.data === undefined) return parts.data;
  const { code } = envelope;
  const places: readonly (readonly [path: string | undefined, value: unknown])[] = [
    [code?.at, parts.code ?? code?.good],
    [envelope.message, parts.message],
    [envelope.data, parts.data],
    [envelope.requestId, parts.requestId],
    [envelope.timestamp, parts.timestamp],
  ];
  const body: { [field: string]: unknown } = {};
  for (const [path, value] of places) {
    if (path === undefined) continue;
    const keys = path.split('.');
    const last = keys.pop()!;
    let holder = body;
    for (const key of keys) holder = (holder[key] ??= {}) as typeof body;
    holder[last] = value;
  }
  return body;
}
