import type { IncomingHttpHeaders } from 'node:http';
import { getOrInsert } from '../../../operators/kit/once.ts';
import { textOfValue } from '../../../operators/kit/canonicalJson.ts';
import { type FailureMeaning, type FailureSpec, headerIn, type Operation } from '../../contract/index.ts';
import { valuesAt } from '../../../operators/kit/path.ts';
import type { FailureKind } from '../../errors/index.ts';
import { saidIn } from '../response/errorIn.ts';
import { waitIn } from './parseRateLimit.ts';

/** What a response other than a good one means. */
export interface FailurePolicy {
  /**
   * What the rules say of a response of an operation, from its body; undefined if none of them can fit this status. Absent without rules.
   */
  readonly judge: undefined | ((status: number, headers: IncomingHttpHeaders, wall: number, of?: HasFailures) => MatchRules | undefined);
  /** What a status means where no rule fits. */
  readonly ofStatus: (status: number) => FailureKind;
  /** The same for the code in an envelope that came with HTTP 200. */
  readonly ofCode: (code: number | string | undefined) => FailureKind;
}

/** Says what a response means, from its body (undefined if it isn't JSON) and the code in it. undefined: no rule fits. */
export type MatchRules = (body: unknown, code: unknown) => RuleMatch | undefined;

export interface RuleMatch {
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

/** A rule, also one of the user for a code of the envelope, which comes with HTTP 200. */
interface Rule extends FailureSpec {
  readonly code?: string;
}

type Table = ReadonlyMap<string, FailureKind>;

const statuses = tableOf({ auth: [401, 403], throttled: [429], busy: [408, 425, 500, 502, 503, 504, 522, 524] });
/** Codes that mean the same as the HTTP status with that number. */
const codes = tableOf({ auth: [401, 403], throttled: [429], final: [404, 410] });

/** The policy of one client: the user's words come first, then the operation's, then the service's, then what everyone means. */
export function failurePolicy({ failures = [], operations = {} }: Ruled = {}, said: Meanings = {}): FailurePolicy {
  const ofUser: readonly Rule[] = [
    ...Object.entries(said.statuses ?? {}).map(([status, means]) => ({ status: Number(status), means })),
    ...Object.entries(said.codes ?? {}).map(([code, means]) => ({ code, means })),
  ];
  const hasRules = ofUser.length + failures.length > 0 || Object.values(operations).some(({ spec }) => spec.failures !== undefined);
  const known = new Map<readonly FailureSpec[], Map<number, readonly Rule[]>>();
  const fittingOf = (own: readonly FailureSpec[], status: number): readonly Rule[] =>
    getOrInsert(
      getOrInsert(known, own, () => new Map<number, readonly Rule[]>()),
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
            const rule = fitting.find((each) => fits(each, headers, body, code));
            if (rule === undefined) return undefined;
            const { means, until } = rule;
            return { means, waitMs: until === undefined ? undefined : waitUntil(until, headers, body, wall) };
          };
        },
    ofStatus: (status) => statuses.get(String(status)) ?? rareStatus(status),
    ofCode: (code) => codes.get(String(code)) ?? (isTruth(code) ? 'final' : rareCode(Number(code))),
  };
}

/** A code that is true or false says only that the request failed. Nothing in it could pass. */
export function isTruth(code: number | string | undefined): boolean {
  return code === 'false' || code === 'true';
}

const none: readonly FailureSpec[] = [];

function fitsStatus({ status, code }: Rule, actual: number): boolean {
  return (status ?? (code === undefined ? actual : 200)) === actual;
}

function fits({ at, is, code }: Rule, headers: IncomingHttpHeaders, body: unknown, actual: unknown): boolean {
  if (code !== undefined && String(actual) !== code) return false;
  if (at === undefined) return true;
  const texts = (Array.isArray(is) ? is : [is]).map(textOfValue);
  const isWanted = (there: unknown): boolean =>
    is === undefined
      ? saidIn(there) !== undefined
      : texts.some((text) => textOfValue(there) === text || (text.startsWith('*') && endsWith(there, text.slice(1))));
  return valuesAtPlace(at, headers, body).some((there) => there !== undefined && isWanted(there));
}

function endsWith(there: unknown, end: string): boolean {
  return typeof there === 'string' && there.trimEnd().endsWith(end);
}

/** What a response has at a place: in a header, where a number is one however it is written, or in the whole body. */
function valuesAtPlace(at: string, headers: IncomingHttpHeaders, body: unknown): readonly unknown[] {
  const header = headerIn(at);
  if (header === undefined) return valuesAt(body, at);
  const text = headers[header] === undefined ? undefined : String(headers[header]).trim();
  return [text !== undefined && /^-?\d+(?:\.\d+)?$/.test(text) ? Number(text) : text];
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

/** How long a response says to wait, where a rule names the place. Not above 0 if the time is over. undefined: it doesn't say. */
function waitUntil(at: string, headers: IncomingHttpHeaders, body: unknown, wall: number): number | undefined {
  const [said] = valuesAtPlace(at, headers, body);
  const ms = typeof said === 'string' || typeof said === 'number' ? waitIn(String(said).trim(), headers, wall) : undefined;
  return ms === undefined ? undefined : Math.ceil(ms);
}
