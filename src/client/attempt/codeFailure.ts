import type { ClientOptions } from '../ClientOptions.ts';
import type { Payload } from '../answer/parseAnswer.ts';
import { beginningOf } from '../answer/printable.ts';
import { EnvelopeError } from '../../errors/index.ts';
import type { Failure } from './Failure.ts';

const kinds = { retry: 'busy', fail: 'final' } as const;

/** An answer of HTTP 200 whose envelope has another code than 200. */
export function codeFailure(answer: Payload, known: NonNullable<ClientOptions['envelopeCodes']>): Failure {
  const verdict = known[Number(answer.code)];
  const said = typeof answer.message === 'string' && answer.message !== '' ? `; the service says ${beginningOf(answer.message)}` : '';
  return {
    kind: verdict === undefined ? 'unknownCode' : kinds[verdict],
    error: EnvelopeError,
    what: `the answer has code ${answer.code}${said}`,
    advice: verdict === undefined ? 'say with envelopeCodes whether such answers pass' : undefined,
    details: { status: 200, code: answer.code, requestId: answer.requestId === '' ? undefined : answer.requestId },
  };
}
