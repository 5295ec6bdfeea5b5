import { isObject } from '../../contract/checkResponse/conforms.ts';
import { journalVersion, type FlowEvent, type JournalRecord } from '../core/events.ts';

type Fields = { readonly [name: string]: unknown };

const isNumber = Number.isFinite; // 1e999 is JSON, too
const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;
const isList = (value: unknown, isElement: (element: unknown) => boolean): boolean => Array.isArray(value) && value.every(isElement);
const isPosition = (value: unknown): value is Fields => isObject(value) && isCount(value['bytes']) && isCount(value['rows']);
const isFound = (value: unknown): boolean => isList(value, (one) => Array.isArray(one) && one.length >= 2);
const isNamed = ({ name, message }: Fields): boolean => isText(name) && isText(message);
const isFailure = (value: unknown): boolean => isObject(value) && isNamed(value);

/** What an event must have. */
const events: { readonly [type in FlowEvent['type']]: (event: Fields) => boolean } = {
  SeedsRead: ({ stage, position, crc }) => isCount(stage) && isCount(position) && isNumber(crc),
  AreasFound: ({ areas }) => isFound(areas),
  QueriesFound: ({ found }) => isFound(found),
  QueriesUnchanged: ({ unchanged }) => isFound(unchanged),
  PageTaken: ({ query, received, written }) => isCount(query) && isCount(received) && isCount(written),
  TileSearched: ({ query, spots, rows }) => isCount(query) && isText(spots) && isCount(rows),
  WatermarkMoved: ({ query, added }) => isCount(query) && isCount(added),
  RecheckTold: ({ query, result }) => isCount(query) && isObject(result),
  WalkMoved: ({ query, move }) => isCount(query) && isObject(move),
  WalkRestarted: ({ query, why }) => isCount(query) && isObject(why),
  RecheckBegun: ({ query, mark }) => isCount(query) && isNumber(mark),
  TokensChange: ({ operation }) => isText(operation),
  JobStarted: ({ query, address }) => isCount(query) && isText(address),
  QueryPostponed: ({ query }) => isCount(query),
  QueryEnded: ({ query, as, rows }) => isCount(query) && isText(as) && isCount(rows),
  QueryFailed: ({ query, failure, got }) => isCount(query) && isFailure(failure) && isCount(got),
  RunResumed: () => true,
};

/** What a record must have. */
const records: { readonly [type in JournalRecord['type']]: (record: Fields) => boolean } = {
  flow: ({ version, name, digest, at, outputs }) =>
    isNumber(version) && isText(name) && isText(digest) && isNumber(at) && isList(outputs, isText),
  commit: ({ at, files, events: all, requests }) =>
    isNumber(at) && isObject(files) && Object.values(files).every(isPosition) && isList(all, isEvent) && isCount(requests),
  finish: ({ at, files }) => isNumber(at) && isList(files, (file) => isPosition(file) && isText(file['path'])),
  reopen: ({ at }) => isNumber(at),
};

/**
 * Whether a line of a journal, read and with a right checksum, has what its kind of record has. What another version wrote may
 * differ: that is told by its version.
 */
export function isJournalRecord(value: unknown): value is JournalRecord {
  if (!isObject(value)) return false;
  return (value['type'] === 'flow' && value['version'] !== journalVersion) || isOneOf(records, value['type'], value);
}

function isEvent(value: unknown): boolean {
  return isObject(value) && isOneOf(events, value['type'], value);
}

function isOneOf(kinds: { readonly [kind: string]: (fields: Fields) => boolean }, kind: unknown, fields: Fields): boolean {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) && kinds[kind]!(fields);
}
