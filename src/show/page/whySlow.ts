import type { RunState } from '../api.ts';
import { countOf, formatCount, formatDuration, attemptsText } from '../../flow/report/format.ts';

/** What to do, by the first thing that requests wait for. */
const advice: { readonly [reason: string]: string } = {
  'a slot': 'If the service allows more at once, raise --concurrency.',
  'the rate that was set': 'If the service allows more, raise --rate or leave it out.',
  'the rate': "That is the limit of the service. More concurrency doesn't help.",
  'an earlier response': "The service refuses more at once. More concurrency doesn't help.",
};

/** Why a run isn't faster, or wasn't: its figures, and what to do about the first cause. '' if no request was sent. */
export function whySlow({ phase, live, timing, requests, startedAt, endedAt, breaksMs, stages }: RunState): string {
  if (timing === undefined && (live === undefined || phase !== 'running')) {
    const ms = endedAt - startedAt - breaksMs;
    if (requests === 0 || ms <= 0) return '';
    const pace = `${formatCount((requests * 1000) / ms)} requests per second on average`;
    return phase === 'running'
      ? `It sends ${pace}. What it waits for, only its own process knows: start it with --show, or send it SIGUSR1.`
      : `It sent ${pace}. What it waited for is told once the run is done.`;
  }
  const now = timing === undefined;
  const { perSecond, rate, inFlight, meanMs, failedAttempts, sent } = now
    ? { ...live!, ...live!.stats, sent: live!.stats.requests }
    : {
        ...timing,
        perSecond: (timing.requests * 1000) / Math.max(1, timing.ms),
        failedAttempts: timing.failedAttempts ?? [],
        sent: timing.requests,
      };
  const waits = now
    ? waitsOf(live!.waits)
    : timing.waits.filter((wait) => wait.requests >= 0.5).map((wait) => [wait.for, wait.requests] as const);
  const nameOf = (reason: string): string => (stages.some(({ name }) => name === reason) ? `the stage ${reason}` : reason);
  const most = rate === undefined ? '' : ` (at most ${formatCount(rate)})`;
  const each = meanMs === 0 ? '' : `, and a response ${now ? 'takes' : 'took'} ${formatDuration(meanMs)}`;
  const failed = attemptsText(failedAttempts, sent);
  const waited = waits.map(([reason, count], at) => `${at === 0 ? countOf(count, 'request') : formatCount(count)} for ${nameOf(reason)}`);
  const first = waits[0]?.[0] ?? '';
  // other failures than 429 also slow the client down: then its rate isn't a limit of the service
  const isLimit = failedAttempts.length === 0 || failedAttempts[0]!.because.endsWith('429') || first !== 'the rate';
  return [
    `It ${now ? 'sends' : 'sent'} ${formatCount(perSecond)} requests per second${most}, with ${formatCount(inFlight)} in ` +
      `flight${now ? '' : ' on average'}${each}.`,
    ...(waited.length === 0
      ? [now ? 'Nothing waits: the service is what it waits for.' : 'Hardly any request waited.']
      : [`Waiting${now ? '' : ' on average'}: ${waited.join(', ')}.`]),
    ...(failed === '' ? [] : [`${failed}${isLimit ? '' : ', so it slowed down'}.`]),
    ...(isLimit && Object.hasOwn(advice, first) ? [advice[first]!] : []),
  ].join(' ');
}

/** What requests wait for, and how many. The most first. */
function waitsOf(all: NonNullable<RunState['live']>['waits']): readonly (readonly [reason: string, count: number])[] {
  const waiting = new Map<string, number>();
  for (const { state, for: reason, count } of all)
    if (state === 'waits' && reason !== undefined) waiting.set(reason, (waiting.get(reason) ?? 0) + count);
  return [...waiting].toSorted(([, one], [, other]) => other - one);
}
