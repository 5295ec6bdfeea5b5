import type { IncomingHttpHeaders } from 'node:http';
import { madeIn } from '../../../operators/kit/once.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import type { FailureMeaning, FailureSpec, FailureUntil, Operation } from '../../contract/index.ts';
import { valueAt, valuesAt } from '../../../operators/kit/path.ts';
import type { FailureKind } from '../../errors/index.ts';
import { saidIn } from '../response/errorIn.ts';
import { parseDate, sentAt } from './parseRetryAfter.ts';

/** What a response other than a good one means. */
export interface FailurePolicy {
  /**
   * What the rules say of a response of an operation, from its body; undefined if none of them can fit this status. Absent without rules.
   */
  readonly judge: undefined | ((status: number, headers: IncomingHttpHeaders, wall: number, of?: HasFailures) => Judge | undefined);
  /** What a status means where no rule fits. */
  readonly ofStatus: (status: number) => FailureKind;
  /** The same for the code in an envelope that came with HTTP 200. */
  readonly ofCode: (code: number | string | undefined) => FailureKind;
}

/** Says what a response means, from its body (undefined if it isn't JSON) and the code in it. undefined: no rule fits. */
export type Judge = (body: unknown, code: unknown) => Verdict | undefined;

export interface Verdict {
  readonly means: FailureMeaning;
  /** How long to wait, if the rule says where that stands. Not above 0 if the time is over. */
  readonly waitMs: number | undefined;
}

/** What has rules: a service, and operations of it. */
interface Ruled extends HasFailures {
  readonly operations?: { readonly [name: string]: Pick<Operation, 'spec'> };
}

interface HasFailures {
  readonly failures?: readonly FailureSpec[] | undefined;
}

/** What the user says: by status, and by code. */
interface Meanings {
  readonly statuses?: { readonly [status: string]: FailureMeaning } | undefined;
  readonly codes?: { readonly [code: string]: FailureMeaning } | undefined;
}

type Table = ReadonlyMap<string, FailureKind>;

const statuses = tableOf({ auth: [401, 403], throttled: [429], busy: [408, 425, 500, 502, 503, 504, 522, 524] });
/** Codes that mean the same as the HTTP status with that number. */
const codes = tableOf({ auth: [401, 403], throttled: [429], final: [404, 410] });

/** The policy of one client: the user's words come first, then the operation's, then the service's, then what everyone means. */
export function failurePolicy({ failures = [], operations = {} }: Ruled = {}, said: Meanings = {}): FailurePolicy {
  const ofUser: readonly FailureSpec[] = [
    ...Object.entries(said.statuses ?? {}).map(([status, means]) => ({ status: Number(status), means })),
    ...Object.entries(said.codes ?? {}).map(([code, means]) => ({ code, means })),
  ];
  const hasRules = ofUser.length + failures.length > 0 || Object.values(operations).some(({ spec }) => spec.failures !== undefined);
  const known = new Map<readonly FailureSpec[], Map<number, readonly FailureSpec[]>>();
  const fittingOf = (own: readonly FailureSpec[], status: number): readonly FailureSpec[] =>
    madeIn(
      madeIn(known, own, () => new Map<number, readonly FailureSpec[]>()),
      status,
      () => [...ofUser, ...own, ...failures].filter((rule) => fitsStatus(rule, status)),
    );
  return {
    judge: !hasRules
      ? undefined
      : (status, headers, wall, of) => {
          const fitting = fittingOf(of?.failures ?? none, status);
          if (fitting.length === 0) return undefined;
          return (body, code) => {
            const rule = fitting.find((each) => fitsHeaders(each, headers) && fitsBody(each, body, code));
            if (rule === undefined) return undefined;
            const { means, until } = rule;
            return { means, waitMs: until && waitUntil(until, headers, body, wall) };
          };
        },
    ofStatus: (status) => statuses.get(String(status)) ?? rareStatus(status),
    ofCode: (code) => codes.get(String(code)) ?? rareCode(Number(code)),
  };
}

const none: readonly FailureSpec[] = [];

function fitsStatus({ status, code }: FailureSpec, actual: number): boolean {
  return (status ?? (code === undefined ? actual : 200)) === actual;
}

function fitsHeaders({ header = {} }: FailureSpec, headers: IncomingHttpHeaders): boolean {
  return Object.entries(header).every(([name, value]) => {
    const actual = headers[name.toLowerCase()];
    return actual !== undefined && isSame(String(actual).trim(), value);
  });
}

function fitsBody({ at, is, ends, code }: FailureSpec, body: unknown, actual: unknown): boolean {
  if (code !== undefined && String(actual) !== String(code)) return false;
  if (at === undefined) return true;
  const texts = (Array.isArray(is) ? is : [is]).map(textOfValue);
  const fits = (there: unknown): boolean =>
    ends !== undefined
      ? typeof there === 'string' && there.trimEnd().endsWith(ends)
      : is === undefined
        ? saidIn(there) !== undefined
        : texts.includes(textOfValue(there));
  return valuesAt(body, at).some((there) => there !== undefined && fits(there));
}

/** Texts are the same if they name the same number, too: `0` and `0.0`. */
function isSame(actual: string, value: string): boolean {
  return actual === value || (actual !== '' && value.trim() !== '' && Number(actual) === Number(value));
}

function rareStatus(status: number): FailureKind {
  return status >= 500 && status < 600 ? 'away' : 'final';
}

function rareCode(code: number): FailureKind {
  const passes = statuses.get(String(code)) === 'busy' || rareStatus(code) === 'away';
  return passes ? 'busyCode' : 'unknownCode';
}

function tableOf(kinds: { readonly [kind in FailureKind]?: readonly number[] }): Table {
  const entries = Object.entries(kinds) as [FailureKind, readonly number[]][];
  return new Map(entries.flatMap(([kind, values]) => values.map((value) => [String(value), kind] as const)));
}

/** How long a response says to wait, where a rule names it. Not above 0 if the time is over. undefined: it doesn't say. */
function waitUntil({ header, at, unit }: FailureUntil, headers: IncomingHttpHeaders, body: unknown, wall: number): number | undefined {
  const said = header === undefined ? valueAt(body, at) : headers[header.toLowerCase()];
  const text = typeof said === 'string' ? said.trim() : typeof said === 'number' ? String(said) : '';
  const value = unit === 'date' ? parseDate(text, wall) : /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : undefined;
  if (value === undefined) return undefined;
  if (unit === 'seconds') return Math.ceil(value * 1000);
  return Math.ceil(unit === 'epoch' ? value * 1000 : value) - sentAt(headers, wall);
}
