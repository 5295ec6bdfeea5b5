import type { FailureKind } from '../../errors/index.ts';
import type { FailureMeaning, FailureSpec } from '../../contract/index.ts';

/** What a response other than a good one means. */
export interface FailurePolicy {
  readonly ofStatus: (status: number) => FailureKind;
  /** Of the code in an envelope that came with HTTP 200. */
  readonly ofCode: (code: number | string | undefined) => FailureKind;
}

/** What the user says: by status, and by code. */
export interface Meanings {
  readonly statuses?: { readonly [status: string]: FailureMeaning } | undefined;
  readonly codes?: { readonly [code: string]: FailureMeaning } | undefined;
}

type Table = ReadonlyMap<string, FailureKind>;

const statuses = tableOf({ auth: [401, 403], throttled: [429], busy: [408, 425, 500, 502, 503, 504, 522, 524] });
/** Codes that mean the same as the HTTP status with that number. */
const codes = tableOf({ auth: [401, 403], throttled: [429], final: [404, 410] });

/** The policy of one client: the user's words come first, then the service's, then what everyone means. */
export function failurePolicy(declared: readonly FailureSpec[] = [], said: Meanings = {}): FailurePolicy {
  const knownStatuses = new Map([...statuses, ...declaredBy(declared, 'status'), ...Object.entries(said.statuses ?? {})]);
  const knownCodes = new Map([...codes, ...declaredBy(declared, 'code'), ...Object.entries(said.codes ?? {})]);
  return {
    ofStatus: (status) => knownStatuses.get(String(status)) ?? rareStatus(status),
    ofCode: (code) => knownCodes.get(String(code)) ?? rareCode(Number(code)),
  };
}

function rareStatus(status: number): FailureKind {
  return status >= 500 && status < 600 ? 'away' : 'final';
}

function rareCode(code: number): FailureKind {
  const passes = statuses.get(String(code)) === 'busy' || rareStatus(code) === 'away';
  return passes ? 'busyCode' : 'unknownCode';
}

/** The values of a service's rules. Of several rules for one value, the first counts. */
function declaredBy(declared: readonly FailureSpec[], field: 'status' | 'code'): Table {
  return new Map(declared.toReversed().flatMap(({ [field]: value, means }) => (value === undefined ? [] : [[String(value), means]])));
}

function tableOf(kinds: { readonly [kind in FailureKind]?: readonly number[] }): Table {
  const entries = Object.entries(kinds) as [FailureKind, readonly number[]][];
  return new Map(entries.flatMap(([kind, values]) => values.map((value) => [String(value), kind] as const)));
}
