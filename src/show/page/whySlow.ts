import type { FailedAttempts } from '../../errors/FailedAttempts.ts';
import type { LiveState, RunState } from '../api.ts';
import { countOf, formatCount, formatDuration, saidAttempts } from '../../flow/report/format.ts';

type Wait = LiveState['waits'][number];
type RunTiming = NonNullable<RunState['timing']>;

const whatHelps = "More concurrency doesn't help. If it doesn't fail because of too many requests, give the rate that it allows: --rate N.";

/** What requests wait for, in the words of the client: what to say of it, and what to do, now and once the run is done. */
const reasons: {
  readonly [reason: string]: {
    readonly now: (count: string, live: LiveState) => string;
    readonly after: (timing: RunTiming) => string;
  };
} = {
  'a pause that the service asked for': {
    now: (count, { stats }) => `The service asked for a pause, which ends in ${formatDuration(stats.pausedMs)}. ${count} wait for it.`,
    after: () => 'Send fewer requests at once, or at a lower rate.',
  },
  'the rate': {
    now(count, { stats, perSecond }) {
      const { rate, failedAttempts, requests } = stats;
      if (isSlowedByFailures(failedAttempts))
        return `${saidAttempts(failedAttempts, requests)}, so it slowed down: ${count} wait, and ${formatCount(perSecond)} per second are sent. ${whatHelps}`;
      return `The limit of the service is the brake: ${count} wait for it. ${rate === undefined ? 'How many it allows per second is still unknown' : `As far as is known, it allows up to ${formatCount(rate)} requests per second`}, and ${formatCount(perSecond)} are sent. More concurrency doesn't help.`;
    },
    after({ rate, failedAttempts = [], requests }) {
      const about = rate === undefined ? '' : `, about ${formatCount(rate)} per second`;
      if (isSlowedByFailures(failedAttempts))
        return `${saidAttempts(failedAttempts, requests)}, so it slowed down${about === '' ? '' : `: to${about.slice(1)}`}. ${whatHelps}`;
      return `That is the limit of the service${about}. More concurrency doesn't help.`;
    },
  },
  'the rate that was set': {
    now: (count, { stats }) =>
      `The rate that this run was given is the brake: ${count} wait for it, as it allows ${formatCount(stats.rate ?? 0)} requests per second. If the service allows more, raise --rate or leave it out.`,
    after: ({ rate = 0 }) =>
      `It allows ${formatCount(rate)} requests per second. If the service allows more, raise --rate or leave it out.`,
  },
  'a slot': {
    now: (count, { stats }) =>
      `All ${formatCount(stats.inFlight)} slots are in use, and ${count} wait for one. If the service allows more at once, raise --concurrency.`,
    after: () => 'If the service allows more at once, raise --concurrency.',
  },
  'an earlier response': {
    now: (count, { stats }) =>
      `The service seems to accept ${formatCount(stats.inFlight)} requests at once and refuses more: ${count} wait for an earlier response. More concurrency doesn't help.`,
    after: ({ inFlight }) =>
      `The service seemed to accept about ${formatCount(inFlight)} at once, and refused more. More concurrency doesn't help.`,
  },
  files: {
    now: (count) => `Rows arrive faster than they are written: ${count} wait for files.`,
    after: () => 'Rows arrived faster than they were written.',
  },
  'its next attempt': {
    now: (count, { stats }) =>
      `${count} failed and will be retried. So far ${saidAttempts(stats.failedAttempts, stats.requests) || 'nothing else failed'}.`,
    after: () => 'They had failed and were retried.',
  },
};

/** Whether most failures say nothing of a limit: the client slows down, because they may come of too many requests. */
function isSlowedByFailures([first]: readonly FailedAttempts[]): boolean {
  return first !== undefined && first.because !== 'HTTP 429' && first.because !== 'code 429';
}

/** Everything else that requests wait for is a stage or a part that is full. */
function knownReason(reason: string): (typeof reasons)[string] | undefined {
  return Object.hasOwn(reasons, reason) ? reasons[reason] : undefined;
}

/** Why a run isn't faster, or wasn't, one sentence for each cause, the most important first. */
export function whySlow({ phase, live, timing, requests, startedAt, endedAt, breaksMs, stages }: RunState): readonly string[] {
  const nameOf = (reason: string): string => (stages.some(({ name }) => name === reason) ? `The stage ${reason}` : reason);
  if (timing !== undefined) return whyItTook(timing, nameOf);
  if (live === undefined || phase !== 'running') {
    if (requests === 0) return [];
    const ms = endedAt - startedAt - breaksMs;
    const perSecond = ms > 0 ? (requests * 1000) / ms : 0;
    const speed = `${formatCount(perSecond)} requests per second on average`;
    return phase === 'running'
      ? [`It sends ${speed}. What it waits for, only its own process knows: start it with --show, or send it SIGUSR1.`]
      : [`It sent ${speed}. What it waited for is told once the run is done.`];
  }
  const waiting = new Map<string, number>();
  const add = ({ state, for: reason, count }: Wait): void => {
    if (state === 'waits' && reason !== undefined) waiting.set(reason, (waiting.get(reason) ?? 0) + count);
  };
  live.waits.forEach(add);
  const causes = [...waiting].toSorted(([, one], [, other]) => other - one).map(([reason, count]) => {
    const words = countOf(count, 'request');
    return knownReason(reason)?.now(words, live) ?? `${nameOf(reason)} is full, and holds ${words} back until it has written or passed on what it has.`;
  }); // prettier-ignore
  if (causes.length > 0) return causes;
  const each = live.meanMs === 0 ? '' : ` A response takes ${formatDuration(live.meanMs)}.`;
  return [
    live.stats.inFlight === 0
      ? 'No request is in flight and none waits: it is writing rows, or about to end.'
      : `Nothing waits: the service is busy with the ${formatCount(live.stats.inFlight)} requests that there are now.${each}`,
  ];
}

function whyItTook(timing: RunTiming, nameOf: (reason: string) => string): readonly string[] {
  const { ms, requests, meanMs, throttled, inFlight, waits } = timing;
  const { failedAttempts = throttled === 0 ? [] : [{ because: 'HTTP 429', count: throttled, lostMs: 0 }] } = timing;
  const lostMs = failedAttempts.reduce((sum, one) => sum + one.lostMs, 0);
  const lost =
    lostMs === 0 ? '' : `. With the waits before they were retried, that took ${formatDuration(lostMs)} of requests that ran side by side`;
  const refused = failedAttempts.length === 0 ? '' : ` ${saidAttempts(failedAttempts, requests)}${lost}.`;
  const causes = waits.filter((wait) => wait.requests >= 0.5).map(({ for: reason, requests: count }) => {
    const known = knownReason(reason);
    const words = countOf(count, 'request');
    return known === undefined
      ? `${nameOf(reason)} was full, and held ${words} back on average until it had written or passed on what it had.`
      : `On average ${words} waited for ${reason}. ${known.after(timing)}`;
  }); // prettier-ignore
  return [
    `It sent ${countOf(requests, 'request')}, ${formatCount((requests * 1000) / Math.max(1, ms))} per second, with ${formatCount(inFlight)} in flight on average. A response took ${formatDuration(meanMs)}.${refused}`,
    ...(causes.length > 0
      ? causes
      : ['Hardly any request waited: each was sent as soon as the responses before it had told what to request.']),
  ];
}
