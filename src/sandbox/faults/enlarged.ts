import type { Envelope } from '../Exchange.ts';

/** An answer made so large by a field that nobody knows. */
export function enlarged(envelope: Envelope, bytes: number): Envelope {
  const size = Buffer.byteLength(JSON.stringify(envelope)) + ',"padding":""'.length;
  return { ...envelope, data: { ...(envelope.data as object), padding: ' '.repeat(Math.max(0, bytes - size)) } };
}
