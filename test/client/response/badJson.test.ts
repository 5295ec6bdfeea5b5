import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseResponse } from '../../../src/client/response/parseResponse.ts';
import { SpanReader } from '../../../src/client/spans/SpanReader.ts';
import { readSeeds } from '../../../src/flow/seeds/readSeeds.ts';
import { nodeFileSystem } from '../../../src/sinks/index.ts';
import { searchService } from '../../../src/search/index.ts';
import { operations } from '../../../src/search/operations.ts';

// The kinds of fault, and of odd but right text, that the public suites of JSON parsers try, written anew.
const bytes = (...codes: number[]): string => Buffer.from(codes).toString('latin1');
const faults: { readonly [kind: string]: readonly string[] } = {
  lists: [
    '[', ']', '[1', '[1,', '[,', '[,1]', '[1,]', '[1,,2]', '[1 2]', '["a" "b"]', '["a";"b"]', '[1]]', '[[1]', '[1}', '[:1]', '["a":1]', '[1:2]', '[*]', '[<1>]',
    '[1],', ',[1]', '[1][2]', '[\n1,\n2', '[\u000B1]', '[\f1]', '[a]', '[\u20601]', '[\u00A01]', '[\\n]', '["\\n]',
  ],
  objects: [
    '{', '}', '{]', '[}', '{"a"}', '{"a":}', '{:1}', '{"a",1}', '{"a" 1}', '{"a"::1}', '{"a":1,}', '{,"a":1}', '{"a":1,,"b":2}', '{"a":1 "b":2}', '{"a":1;"b":2}',
    '{a:1}', '{1:1}', "{'a':1}", '{null:1}', '{[1]:1}', '{"a":1', '{"a":"b', '{"a', '{"a":1}}', '{"a":1}#', '{"a":1}/**/', '{"a":/*1*/1}', '{"a":1}//', '{"a":"b"c}', '{"a":1 true}',
    '{"a":1}{"b":2}', '{"a":{}', '{"a":[}', '{"a":1]', '{"a"="b"}', '{"a":(1)}', '{"a":...1}',
  ],
  numbers: [
    '01', '-01', '00', '-', '--1', '+1', '++1', '1.', '.5', '-.5', '1.e1', '1e', '1e+', '1E-', '1eE2', '1e1.5', '0e', '0.e1', '0.1.2', '1_000', '1,000', '1 000', '0x1', '0b1', '0o7', '1f',
    '1n', 'NaN', '-NaN', 'Infinity', '-Infinity', '+Inf', '- 1', '-a', '1a', '1-', '1+2', '1ea', '\uFF11', '\u0661', '2.e3', '-2.', '-1x', '0.3e+', '9.e+', '1.0e', '1.2a-3', '1/2',
  ],
  words: ['nul', 'nulll', 'Null', 'NULL', 'tru', 'True', 'truee', 'fals', 'fAlse', 'undefined', 'None', 'nan', 'null,', 'true false', 'null"', '@', '$', '\\', '\\u006eull', '\u0000', '\u00E9', '\uFEFFx'],
  texts: [
    '"', '"a', '"a\\"', '"\\"', "'a'", 'a', '"a"b', '"a""b"', '"\\a"', '"\\x41"', '"\\0"', '"\\\'"', '"\\u"', '"\\u1"', '"\\u12"', '"\\u123"', '"\\u12G4"', '"\\uD800\\u"', '"\\uD800\\u1"',
    '"\\uD800\\u1x"', '"\\U0041"', '"\\ n"', '"\\\\\\"', '"\\\u00E9"', '"\\\t"', '"\t"', '"\n"', '"\r"', '"\u0000"', '"a\u0000b"', '"\u001F"', '"\u0008"', '`a`', '\u201Ca\u201D', '"a\\', '"\\u00', '\\"a"', '"a"\\', '"\\\uD83D\uDE00"', '"\\v"',
  ],
}; // prettier-ignore
const notUtf8 = [
  bytes(0x22, 0xff, 0x22), bytes(0x22, 0x80, 0x22), bytes(0x22, 0xc0, 0xaf, 0x22), bytes(0x22, 0xe9, 0x22), bytes(0x22, 0xed, 0xa0, 0x80, 0x22), bytes(0x22, 0xe0, 0x80, 0xaf, 0x22),
  bytes(0x22, 0xf4, 0x90, 0x80, 0x80, 0x22), bytes(0x22, 0xf8, 0x88, 0x80, 0x80, 0x80, 0x22), bytes(0x22, 0xe2, 0x82, 0x22), bytes(0x22, 0xfe, 0xff, 0x22),
]; // prettier-ignore
const odd = [
  '0', '-0', '-1', '1.5', '0.1', '1E5', '1e-2', '1.0', '123e65', '0e1', '0e+1', '-123', '20e1', '1E-2', '123.456e78', '4.9e-324', '9007199254740991', '0.00000000000000000001', '-0.0',
  'null', 'true', 'false', '""', '" "', '"\\u0000"', '"\\n\\t\\r\\b\\f\\/\\\\\\""', '"\\u0041"', '"\\uD83D\\uDE00"', '"\\uD800"', '"\\uDC00\\uD800"', '"\\uD800x"', '"\\\\u0041"', '"\u007F"', '"\u2028\u2029"',
  '"\uFFFF"', '"\u{10FFFF}"', '"\u00E9\u6771\u4EAC"', '"/* no comment */"', '"\\"]}"', '"[{,:"', '"\\\\"', '"a\\\\\\"b"', '[]', '[[]]', '[[[[1]]]]', '[ ]', '[ 1 , 2 ]', '[\n1\t,\r2]', '[null,true,1,"a",{}]', '["a",]'.replace(',', ''),
  '{}', '{ }', '{"":0}', '{"a":{}}', '{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"\\u0000":1}', '{"__proto__":{"x":1}}', '{"1":1,"0":0}', '{"constructor":1,"toString":2}', '{"a":[{"b":[{"c":1}]}]}', '{"a\\"b":1}', '{ "a" : "b" , "c" : [ ] }',
]; // prettier-ignore

const envelope = (data: string): Buffer => Buffer.from(`{"code":200,"message":"success","data":${data},"requestId":"r","timestamp":1}`);
/** As a row's field, as the only row, and behind the rows. */
const places = [
  (value: string) => envelope(`{"search_information":{"total_results":1},"reviews_results":[{"review_id":"r1","new":${value}}]}`),
  (value: string) => envelope(`{"reviews_results":[{"review_id":"r0"},{"new":[${value}],"review_id":"r1"}]}`),
  (value: string) => envelope(`{"reviews_results":[{"review_id":"r1"}],"new":${value}}`),
];
const operation = operations.mapsReviews;
const request = { operation, query: { data_id: '0x0:0x1' }, lazy: true };
const parsed = (body: Buffer) => parseResponse(body, searchService.envelope);

function isValid(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

describe('malformed JSON', () => {
  let folder: string;
  beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'trawler-json-'))));
  afterAll(() => rmSync(folder, { recursive: true }));
  const isSeed = async (line: string | Buffer): Promise<boolean> => {
    writeFileSync(join(folder, 'seeds.jsonl'), line);
    for await (const _ of readSeeds(join(folder, 'seeds.jsonl'), nodeFileSystem)) return true;
    return false;
  };

  describe.each(Object.entries(faults))('in %s', (_, values) => {
    it.each(values.map((value) => [value]))('is refused: %j', async (value) => {
      expect(isValid(value)).toBe(false);
      expect(parsed(Buffer.from(value)).kind).toBe('notJson');
      const reader = new SpanReader(searchService);
      for (const place of places) {
        const body = place(value);
        expect([isValid(body.toString()), reader.read(body, request)?.kind, parsed(body).kind]).toEqual([false, undefined, 'notJson']);
      }
      await expect(isSeed(`{"a":${value}}\n`)).rejects.toThrow('seeds.jsonl:1');
    });
  });

  it.each(notUtf8.map((text) => [Buffer.from(text, 'latin1')]))('that is no UTF-8 is never copied: %o', async (value) => {
    const body = Buffer.concat([
      Buffer.from('{"code":200,"data":{"reviews_results":[{"review_id":"r1","new":'),
      value,
      Buffer.from('}]}}'),
    ]);
    expect(new SpanReader(searchService).read(body, request)).toBeUndefined();
    await expect(isSeed(Buffer.concat([Buffer.from('{"a":'), value, Buffer.from('}\n')]))).rejects.toThrow("seeds.jsonl:1: isn't UTF-8");
  });
});

describe('odd but right JSON', () => {
  it('of the usual kind is copied, not parsed', () => {
    for (const place of places) expect(new SpanReader(searchService).read(place('"x"'), request)?.spans).toBeDefined();
  });

  it.each(odd.map((value) => [value]))('is read as JSON.parse reads it: %j', (value) => {
    for (const place of places) {
      const body = place(value);
      const expected = (JSON.parse(body.toString()) as { data: { reviews_results: object[] } }).data;
      const response = parsed(body);
      expect(response).toMatchObject({ kind: 'payload' });
      expect(JSON.stringify('data' in response && response.data)).toBe(JSON.stringify(expected));
      const lazy = new SpanReader(searchService).read(body, request);
      const rows = expected.reviews_results.map((row) => JSON.stringify(row));
      expect(lazy?.spans?.rows.map(({ bytes }) => bytes.toString()) ?? rows).toEqual(rows);
    }
  });
});
