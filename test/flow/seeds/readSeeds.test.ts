import { createReadStream, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Readable } from 'node:stream';
import * as fc from 'fast-check';
import { from, lastValueFrom } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHeader } from '../../../src/flow/seeds/readHeader.ts';
import { readSeeds } from '../../../src/flow/seeds/readSeeds.ts';
import { nodeFileSystem, toCsv, toJsonl } from '../../../src/sinks/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-seeds-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function rowsOf(path: string, stdin?: NodeJS.ReadableStream): Promise<object[]> {
  const rows: object[] = [];
  for await (const row of readSeeds(path, nodeFileSystem, stdin)) rows.push(row);
  return rows;
}
async function read(content: string | Uint8Array, name = 'seeds.csv'): Promise<object[]> {
  writeFileSync(join(folder, name), content);
  return rowsOf(join(folder, name));
}
const utf16 = (text: string): Buffer => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);

describe('readSeeds', () => {
  it('removes the apostrophes that toCsv puts before formulas, in cells and headings', async () => {
    const rows = [
      { author_id: '-Kk8vTUAAAAJ', '=x': "'=1" },
      { author_id: '+49 170', '=x': "'plain" },
      { author_id: '-12.5', '=x': '@a' },
    ];
    await lastValueFrom(from(rows).pipe(toCsv(join(folder, 'seeds.csv'))));
    expect(await rowsOf(join(folder, 'seeds.csv'))).toEqual(rows);
    expect(readHeader(join(folder, 'seeds.csv'), nodeFileSystem)).toEqual(['author_id', '=x']);
  });

  it('reads back whatever text toCsv and toJsonl wrote, packed or not', async () => {
    const nasty = fc.constantFrom('=1', '\t=1', "'", '"', ',', '\n', '\r\n', ' ', '', '\\', "''-x", '＝1', 'é', '😀');
    const text = fc.oneof(nasty, fc.tuple(nasty, nasty, nasty).map((parts) => parts.join('')), fc.string({ unit: 'grapheme' })).map((one) => one.replaceAll('\0', '')); // prettier-ignore
    const rows = fc.sample(fc.record({ a: text, 'b,"c': text, d: text }), { numRuns: 300, seed: 5 });
    for (const name of ['seeds.csv', 'seeds.tsv', 'seeds.csv.gz']) {
      await lastValueFrom(from(rows).pipe(toCsv(join(folder, name))));
      expect(await rowsOf(join(folder, name))).toEqual(rows);
      expect(readHeader(join(folder, name), nodeFileSystem)).toEqual(['a', 'b,"c', 'd']);
    }
    await lastValueFrom(from(rows).pipe(toJsonl(join(folder, 'seeds.jsonl.gz'))));
    expect(await rowsOf(join(folder, 'seeds.jsonl.gz'))).toEqual(rows);
  });

  it.each([
    [',', 'price;eur'],
    [',', 'price\teur'],
    [';', 'price,eur'],
    ['\t', 'price;eur'],
  ])('reads back a file of one column, with %j between cells, whose name is %j', async (delimiter, name) => {
    const rows = [{ [name]: 'a,b;c\td' }, { [name]: 'e' }];
    const path = join(folder, 'seeds.csv');
    await lastValueFrom(from(rows).pipe(toCsv(path, { delimiter })));
    expect(readHeader(path, nodeFileSystem)).toEqual([name]);
    expect(await rowsOf(path)).toEqual(rows);
    expect(await rowsOf('-', createReadStream(path))).toEqual(rows);
  });

  it('reads a quote that is never closed as fast as other text, and says so', async () => {
    const content = `q,n\n"a,1\n${'b,2\n'.repeat(5000)}`;
    await expect(read(content)).rejects.toThrow("seeds.csv:2: isn't CSV: a quote is never closed");
    const inches = `q,n\n5" pipe,1\n${'b,2\n'.repeat(5000)}`;
    expect(await read(inches)).toHaveLength(5001);
  });

  it.each(['seeds.csv', 'seeds.jsonl'])('refuses a line of 120 MB in %s before it is in memory', async (name) => {
    const size = 120 * 2 ** 20;
    let bytes = 0;
    const file = Readable.from(
      (function* () {
        yield name === 'seeds.csv' ? 'q\n' : '{"q":1}\n{"q":"';
        for (; bytes < size; bytes += 2 ** 20) yield 'x'.repeat(2 ** 20);
      })(),
    );
    await expect(rowsOf('-', file)).rejects.toThrow('standard input:2: the line is longer than 16 MiB');
    expect(bytes).toBeLessThan(32 * 2 ** 20);
  });

  it('keeps long integers and numbers that are too large as text', async () => {
    const lines = '{"q":12345678901234567890,"r":12345678901234567890.0,"s":1e400,"t":1.5}\n{"q":9007199254740991}\n';
    expect(await read(lines, 'seeds.jsonl')).toEqual([
      { q: '12345678901234567890', r: '12345678901234567890.0', s: '1e400', t: 1.5 },
      { q: 9007199254740991 },
    ]);
  });

  it.each([
    ['blank lines before and between', '\n\nq,n\na,1\n\nb,2\n\n'],
    ['a byte order mark', '\uFEFFq,n\na,1\nb,2'],
    ['line ends of Windows', 'q,n\r\na,1\r\nb,2\r\n'],
    ['line ends of old Macs', 'q,n\ra,1\rb,2'],
    ['blanks behind a quote', '"q" ,n\n"a" ,1\n"b",2\n'],
    ['empty columns behind, as spreadsheets leave them', 'q,n,,\na,1,,\nb,2,,\n'],
    ['everything quoted', '"q","n"\n"a","1"\n"b","2"\n'],
    ['semicolons, as Excel writes them in Europe', '\uFEFFq;n\r\na;1\r\nb;2\r\n'],
    ['semicolons between quotes', '\n"q";"n"\n"a";"1"\nb;2\n'],
    ['semicolons on old Macs', 'q;n\ra;1\rb;2'],
  ])('reads %s', async (_, content) => {
    const rows = [{ q: 'a', n: '1' }, { q: 'b', n: '2' }]; // prettier-ignore
    expect(await read(content)).toEqual(rows);
    expect(readHeader(join(folder, 'seeds.csv'), nodeFileSystem)).toEqual(['q', 'n']);
    expect(await rowsOf('-', Readable.from([Buffer.from(content)]))).toEqual(rows);
  });

  // Cases as the public corpora of CSV files have them, made again.
  it.each([
    ['a,b\n"1,2",3\n', [{ a: '1,2', b: '3' }]],
    ['a,b\n"x\ny",2\n', [{ a: 'x\ny', b: '2' }]],
    ['a,b,c\n  ,  ,"  "\n ,x,\n"x\n  ,y",  ,\n  ,"  ",  \n', [{ a: '  ', b: '  ', c: '  ' }, { a: ' ', b: 'x', c: '' }, { a: 'x\n  ,y', b: '  ', c: '' }, { a: '  ', b: '  ', c: '  ' }]], // prettier-ignore
    ['a,b\n"x\r\ny",2\r\n', [{ a: 'x\r\ny', b: '2' }]],
    ['a,b\n"he said ""hi""",2\n', [{ a: 'he said "hi"', b: '2' }]],
    ['a\n""""\n', [{ a: '"' }]],
    ['a,b\n"",\n', [{ a: '', b: '' }]],
    ['a,b\n1,"{""type"": ""Point"", ""c"": [1.0]}"\n', [{ a: '1', b: '{"type": "Point", "c": [1.0]}' }]],
    ['a,b\nʤ,東京\n', [{ a: 'ʤ', b: '東京' }]],
    ['a\n1', [{ a: '1' }]],
    ['a;b\n1,5;"2;3"\n', [{ a: '1,5', b: '2;3' }]],
    ['"a;b"\n1;2\n', [{ 'a;b': '1;2' }]],
    ['a;b,c\n1;2,3\n', [{ 'a;b': '1;2', c: '3' }]],
    ['a,b\n', []],
    ['', []],
  ])('reads %j', async (content, rows) => {
    expect(await read(content)).toEqual(rows);
  });

  it('leaves out a column without a heading, such as the index that pandas writes', async () => {
    expect(await read(',q,n\n0,a,1\n1,b,2\n')).toEqual([
      { q: 'a', n: '1' },
      { q: 'b', n: '2' },
    ]);
    expect(await read('q,,n\na,x,1\n')).toEqual([{ q: 'a', n: '1' }]);
  });

  it.each([
    ['a row with too few cells', 'q,n\na,1\n"x\ny",2\nb\n', 'seeds.csv:5: has 1 cell, where the heading has 2'],
    ['a row with too many', 'q,n\na,1,2\n', 'seeds.csv:2: has 3 cells, where the heading has 2'],
    ['two columns of one name', 'q,n,q\na,1,b\n', 'seeds.csv:1: columns 1 and 3 have the same name'],
    ['text behind a quote', 'q,n\na,1\n"b"x,2\n', "seeds.csv:3: isn't CSV: text follows a closing quote"],
    ['a quote that is never closed', 'q\na\n"b\nc\n', "seeds.csv:3: isn't CSV: a quote is never closed"],
    ['Latin-1', Buffer.from('q\nOslo\nK\u00f8benhavn\n', 'latin1'), "seeds.csv:3: isn't UTF-8"],
    ['UTF-16 without its mark', Buffer.from('q\na\n', 'utf16le'), 'seeds.csv:1: contains a NUL'],
  ])('names the line of %s', async (_, content, message) => {
    await expect(read(content)).rejects.toThrow(message);
  });

  it.each([
    ['seeds.jsonl', '{"a": secret-canary}\n'],
    ['seeds.jsonl', 'secret-canary\n'],
    ['seeds.jsonl', '{"a":1}\n{"secret-canary\n'],
    ['seeds.jsonl', '{"a":1}\n["secret-canary"] x\n'],
    ['seeds.csv', 'q\n"secret"canary,"secret-canary"x\n'],
    ['seeds.csv', 'q\n"secret-canary\n'],
    ['seeds.csv', 'q\na,secret-canary\n'],
    ['seeds.csv', 'secret-canary,secret-canary\n'],
  ])('quotes nothing of %s when it is %j', async (name, content) => {
    const error = await read(content, name).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(Error);
    let header: unknown;
    try {
      header = readHeader(join(folder, name), nodeFileSystem);
    } catch (thrown) {
      header = thrown;
    }
    const said = [error, header instanceof Error ? header : ''].map((one) => inspect(one, { depth: 9 })).join();
    expect(said).not.toMatch(/secret|canary/);
  });

  it('reads UTF-16 that says so', async () => {
    expect(await read(utf16('q,n\nKøbenhavn,😀\n'))).toEqual([{ q: 'København', n: '😀' }]);
    expect(readHeader(join(folder, 'seeds.csv'), nodeFileSystem)).toEqual(['q', 'n']);
    expect(await read(utf16('Т;лет\nОсло;1\n'))).toEqual([{ Т: 'Осло', лет: '1' }]); // bytes of these letters are a quote and a semicolon
    expect(await rowsOf('-', Readable.from([utf16('Т\tn\nОсло\t1\n')]))).toEqual([{ Т: 'Осло', n: '1' }]);
    expect(await read(utf16('{"q":"ø"}\n'), 'seeds.jsonl')).toEqual([{ q: 'ø' }]);
  });

  it('is told of the same faults by the check of a flow', () => {
    writeFileSync(join(folder, 'twice.csv'), 'q,q\n');
    expect(() => readHeader(join(folder, 'twice.csv'), nodeFileSystem)).toThrow('twice.csv: columns 1 and 2 have the same name');
    writeFileSync(join(folder, 'latin.csv'), Buffer.from('q,\u00f8\n', 'latin1'));
    expect(() => readHeader(join(folder, 'latin.csv'), nodeFileSystem)).toThrow("isn't UTF-8");
  });

  // Kinds of text that JSON doesn't know, as the public suite of JSON parsers has them, made again.
  it.each([
    '[1]', '"x"', '1', 'null', '{"a":1,}', "{'a':1}", '{a:1}', '{"a":01}', '{"a":012345678901234567890}', '{"a":1.}', '{"a":.5}', '{"a":+1}', '{"a":1e}', '{"a":- 1}', '{"a":0x1}',
    '{"a":NaN}', '{"a":Infinity}', '{"a":"\t"}', '{"a":"\\x41"}', '{"a":"\\u12"}', '{"a":"x}', '{"a" 1}', '{"a"::1}', '{"a":1 "b":2}', '{"a":tru}', '{"a":[1,]}', '{"a":[1}', '{12345678901234567890:1}',
    '{"a":1}x', '{"a":1}{"b":2}', '{/* c */"a":1}', '{"a":1}// c', '{"a"', '{', '\u2060{"a":1}', '{"a":1}\u00a0',
  ])('refuses the line %j', async (line) => {
    await expect(read(`{"a":0}\n${line}\n`, 'seeds.jsonl')).rejects.toThrow(/^seeds\.jsonl:2: /);
  }); // prettier-ignore

  it.each([
    ['{"a":"\\u0041\\uD83D\\uDE00\\n\\/"}', { a: 'A😀\n/' }],
    ['{"a":-0,"b":1E2,"c":1e-2,"d":0.5}', { a: -0, b: 100, c: 0.01, d: 0.5 }],
    ['{"a":1,"a":2}', { a: 2 }],
    [' {"a" : [ ] , "b" : { } } ', { a: [], b: {} }],
    ['{"":""}', { '': '' }],
    ['{"a":"\u2028\u007f"}', { a: '\u2028\u007f' }],
  ])('takes the line %j', async (line, row) => {
    expect(await read(`${line}\n`, 'seeds.jsonl')).toEqual([row]);
  });
});
