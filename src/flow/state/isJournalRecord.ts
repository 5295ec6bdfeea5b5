import { isObject } from '../../contract/checkResponse/conforms.ts';
import { journalVersion, type JournalRecord, type JournalStep } from './JournalRecord.ts';

type Fields = { readonly [name: string]: unknown };

const isNumber = Number.isFinite; // 1e999 is JSON, too
const isText = (value: unknown): boolean => typeof value === 'string';
const isCount = (value: unknown): boolean => isNumber(value) && (value as number) >= 0;
const isList = (value: unknown, isElement: (element: unknown) => boolean): boolean => Array.isArray(value) && value.every(isElement);
const isPosition = (value: unknown): value is Fields => isObject(value) && isCount(value['bytes']) && isCount(value['rows']);
const isFound = (value: unknown): boolean => isList(value, (one) => Array.isArray(one) && one.length >= 2);
const isFoundOrAbsent = (value: unknown): boolean => value === undefined || isFound(value);
const isNamed = ({ name, message }: Fields): boolean => isText(name) && isText(message);
const isFailure = (value: unknown): boolean => isObject(value) && isNamed(value);

/** What a step must have. */
const steps: { readonly [kind in JournalStep['kind']]: (step: Fields) => boolean } = {
  seeds: ({ stage, position, crc, found }) => isCount(stage) && isCount(position) && isNumber(crc) && isFound(found),
  page: ({ query, received, written, found }) => isCount(query) && isCount(received) && isCount(written) && isFoundOrAbsent(found),
  again: ({ query }) => isCount(query),
  job: ({ query, address }) => isCount(query) && isText(address),
  late: ({ query, found }) => isCount(query) && isFoundOrAbsent(found),
  failure: ({ query, failure }) => isCount(query) && isFailure(failure),
};

/** What a record must have. */
const records: { readonly [type in JournalRecord['type']]: (record: Fields) => boolean } = {
  flow: ({ version, name, digest, at, outputs }) =>
    isNumber(version) && isText(name) && isText(digest) && isNumber(at) && isList(outputs, isText),
  commit: ({ at, files, steps: all, requests }) =>
    isNumber(at) && isObject(files) && Object.values(files).every(isPosition) && isList(all, isStep) && isCount(requests),
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

function isStep(value: unknown): boolean {
  return isObject(value) && isOneOf(steps, value['kind'], value);
}

function isOneOf(kinds: { readonly [kind: string]: (fields: Fields) => boolean }, kind: unknown, fields: Fields): boolean {
  return typeof kind === 'string' && Object.hasOwn(kinds, kind) && kinds[kind]!(fields);
}
