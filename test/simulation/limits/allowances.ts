import type { LimitKind, LimitWorld } from './LimitWorld.ts';

/** What a limit lets through. */
export interface Allowance {
  /** A request arrives. undefined: it is let in. Else it is refused, and so are all others for this long. */
  take(now: number): number | undefined;
  /** How many more it would let in now, and when the count begins again. */
  left(now: number): { readonly left: number; readonly resetMs: number };
  /** How long the request takes that was let in last. */
  takesMs(now: number): number;
  /** A request that was let in is over. */
  served(): void;
  /** How many it lets through in the long run, per second. */
  perSecond(now: number): number;
}

type Scale = (now: number) => number;

/** The limit of a world, from its beginning on. */
export function allowanceOf({ limit, change }: Pick<LimitWorld, 'limit' | 'change'>): Allowance {
  const scale: Scale = (now) => (change !== undefined && now >= change.atMs ? change.factor : 1);
  switch (limit.kind) {
    case 'window':
    case 'quota':
      return windows(limit, scale);
    case 'sliding':
      return sliding(limit, scale);
    case 'bucket':
      return bucket(limit, scale);
    case 'queue':
      return queue(limit, scale);
    default:
      return inFlight(limit, scale);
  }
}

type Of<Kind extends LimitKind['kind']> = Extract<LimitKind, { readonly kind: Kind }>;
type Windows = Exclude<LimitKind, Of<'sliding'> | Of<'bucket'> | Of<'queue'> | Of<'inFlight'>>;

const atOnce = { takesMs: () => 0, served: () => undefined };
const scaled = (count: number, factor: number): number => Math.max(1, Math.round(count * factor));

/** Of a limit of which something is left, or nothing. */
function counted(look: Allowance['left'], take: (now: number) => void): Pick<Allowance, 'left' | 'take'> {
  return {
    left: look,
    take(now) {
      const { left, resetMs } = look(now);
      if (left === 0) return resetMs;
      take(now);
      return undefined;
    },
  };
}

function windows({ requests, perMs }: Windows, scale: Scale): Allowance {
  let [current, used] = [-1, 0];
  const look = (now: number): { readonly left: number; readonly resetMs: number } => {
    const window = Math.floor(now / perMs);
    if (window !== current) [current, used] = [window, 0];
    return { left: Math.max(0, scaled(requests, scale(window * perMs)) - used), resetMs: (window + 1) * perMs - now };
  };
  return {
    ...atOnce,
    ...counted(look, () => void (used += 1)),
    perSecond: (now) => (1000 * scaled(requests, scale(now))) / perMs,
  };
}

function sliding({ requests, perMs }: Of<'sliding'>, scale: Scale): Allowance {
  let times: number[] = [];
  const look = (now: number): { readonly left: number; readonly resetMs: number } => {
    times = times.filter((time) => time + perMs > now);
    return { left: Math.max(0, scaled(requests, scale(now)) - times.length), resetMs: times.length === 0 ? 0 : times[0]! + perMs - now };
  };
  return {
    ...atOnce,
    ...counted(look, (now) => void times.push(now)),
    perSecond: (now) => (1000 * scaled(requests, scale(now))) / perMs,
  };
}

function bucket({ perSecond, burst }: Of<'bucket'>, scale: Scale): Allowance {
  let [tokens, at] = [burst, 0];
  const rate = (now: number): number => perSecond * scale(now);
  const look = (now: number): { readonly left: number; readonly resetMs: number } => {
    tokens = Math.min(burst, tokens + ((now - at) * rate(now)) / 1000);
    at = now;
    return { left: Math.floor(tokens + 1e-9), resetMs: (1000 * Math.max(0, 1 - tokens)) / rate(now) };
  };
  return {
    ...atOnce,
    ...counted(look, () => void (tokens -= 1)),
    perSecond: rate,
  };
}

function queue({ perSecond, burst }: Of<'queue'>, scale: Scale): Allowance {
  let freeAt = 0;
  const stepMs = (now: number): number => 1000 / (perSecond * scale(now));
  const look = (now: number): { readonly left: number; readonly resetMs: number } => {
    const ahead = Math.max(0, freeAt - now) / stepMs(now);
    return { left: Math.max(0, Math.floor(burst + 1 - ahead)), resetMs: Math.max(0, ahead - burst) * stepMs(now) };
  };
  return {
    left: look,
    take(now) {
      const ahead = Math.max(0, freeAt - now) / stepMs(now);
      if (ahead > burst) return (ahead - burst) * stepMs(now);
      freeAt = Math.max(freeAt, now) + stepMs(now);
      return undefined;
    },
    takesMs: (now) => Math.max(0, freeAt - stepMs(now) - now),
    served: () => undefined,
    perSecond: (now) => perSecond * scale(now),
  };
}

function inFlight({ most, takesMs }: Of<'inFlight'>, scale: Scale): Allowance {
  let taken = 0;
  return {
    left: (now) => ({ left: Math.max(0, scaled(most, scale(now)) - taken), resetMs: takesMs }),
    take(now) {
      if (taken >= scaled(most, scale(now))) return 1;
      taken += 1;
      return undefined;
    },
    takesMs: () => takesMs,
    served: () => void (taken -= 1),
    perSecond: (now) => (1000 * scaled(most, scale(now))) / takesMs,
  };
}
