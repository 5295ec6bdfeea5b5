import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMPTY, concat, from, lastValueFrom, of, throwError, type Observable } from 'rxjs';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { setOrigin, type OriginColumn } from '../../operators/rowOrigin.ts';
import { SinkError } from '../../src/errors/index.ts';
import { columnsOf } from '../../src/contract/index.ts';
import { operations } from '../../src/search/index.ts';
import type { ObjectShape, Shape } from '../../src/contract/Shape.ts';
import { toCsv, type CsvOptions, type FileReport } from '../../src/sinks/index.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'trawler-csv-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const at = (name: string): string => join(folder, name);
const read = (name: string): string => readFileSync(at(name), 'utf8');
const write = (rows: Observable<unknown>, options?: CsvOptions, name = 'rows.csv'): Promise<FileReport> =>
  lastValueFrom(rows.pipe(toCsv(at(name), options)));
const csv = async (rows: readonly unknown[], options?: CsvOptions): Promise<string> => {
  await write(from(rows), { overwrite: true, ...options });
  return read('rows.csv');
};

const column = (path: string, type: OriginColumn['type'] = 'string'): OriginColumn => ({ path, keys: path.split('.'), type });
const columns = [column('title'), column('user.name'), column('user.photos', 'integer'), column('images', 'json')];
const comes = <Row extends object>(row: Row): Row => {
  setOrigin(row, { operation: 'mapsReviews', columns });
  return row;
};

describe('toCsv', () => {
  it('writes a field into each column that is chosen for it', async () => {
    const rows = [comes({ title: 'Good', user: { name: 'Ann' }, images: ['a'] }), comes({ images: ['b'] })];
    const chosen = ['user.name', 'images'].flatMap((path) => [path, { path, header: `${path} again` }]);
    expect(await csv(rows, { columns: chosen })).toBe(
      'user.name,user.name again,images,images again\nAnn,Ann,"[""a""]","[""a""]"\n,,"[""b""]","[""b""]"\n',
    );
  });

  it('takes its columns from the operation, in documented order, whatever the first row holds', async () => {
    const rows = [comes({ images: ['a'] }), comes({ user: { photos: 3, name: 'Ann' }, title: 'Good' })];
    expect(await csv(rows)).toBe('title,user.name,user.photos,images\n,,,"[""a""]"\nGood,Ann,3,\n');
  });

  it('takes the columns that are given: paths, headings, values made from the row', async () => {
    const options = {
      columns: [
        'user.name',
        { path: 'title', header: 'Title' },
        { header: 'stars', value: (row: unknown) => '*'.repeat((row as { n: number }).n) },
      ],
    };
    expect(await csv([{ title: 'Good', user: { name: 'Ann' }, n: 3 }], options)).toBe('user.name,Title,stars\nAnn,Good,***\n');
  });

  it('refuses rows that are no objects, and leaves nothing', async () => {
    await expect(write(of('text'))).rejects.toThrow('a row is string; a table needs rows that are objects');
    await expect(write(of([1]), { columns: ['a'] })).rejects.toThrow('a row is a list; a table needs rows that are objects');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('writes nothing for null and absent, quotes for empty text, JSON for lists and objects, plain numbers and booleans', async () => {
    expect(await csv([{ a: null, c: '', d: 0 }], { columns: ['a', 'b', 'c', 'd'] })).toBe('a,b,c,d\n,,"",0\n');
    expect(await csv([{ a: Number.NaN, b: Infinity }], { columns: ['a', 'b'] })).toBe('a,b\n,\n'); // null, as in JSON
    const row = { a: null, c: [1, { x: 'é' }], d: { y: 1 }, e: -0.5, f: true, g: false, h: 1e21 };
    expect(await csv([row], { columns: ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'] })).toBe(
      'a,b,c,d,e,f,g,h\n,,"[1,{""x"":""é""}]","{""y"":1}",-0.5,true,false,1e+21\n',
    );
  });

  it('keeps an object both whole and in parts when both are asked for', async () => {
    expect(await csv([{ user: { name: 'Ann' } }], { columns: ['user', 'user.name'] })).toBe('user,user.name\n"{""name"":""Ann""}",Ann\n');
  });

  it('counts fields that no column takes, and names each once', async () => {
    const seen: string[] = [];
    const rows = [
      comes({ title: 'a', badge: 1, user: { name: 'x', level: 2 } }),
      comes({ badge: 2, user: 'gone' }),
      comes({ title: null, badge: null }),
    ];
    const report = await write(from(rows), { onUnlisted: (path) => seen.push(path) });
    expect(report.unlisted).toEqual({ badge: 2, 'user.level': 1, user: 1 });
    expect(seen).toEqual(['badge', 'user.level', 'user']);
    expect((await write(of(comes({ title: 'a' })), {}, 'all.csv')).unlisted).toBeUndefined();
  });

  it('puts them into one column as JSON on request', async () => {
    const rows = [comes({ title: 'a', badge: 1, user: { level: [2] } }), comes({ title: 'b' })];
    expect(await csv(rows, { extra: true })).toBe(
      'title,user.name,user.photos,images,_extra\na,,,,"{""badge"":1,""user.level"":[2]}"\nb,,,,\n',
    );
  });

  it('treats __proto__ and constructor as data', async () => {
    const row: unknown = JSON.parse('{"title":"a","__proto__":{"x":1},"constructor":2,"user":{"__proto__":3}}');
    comes(row as object);
    expect((await write(of(row))).unlisted).toEqual(JSON.parse('{"__proto__":1,"constructor":1,"user.__proto__":1}'));
    expect(({} as { x?: unknown }).x).toBeUndefined();
  });

  it('makes formulas harmless in cells and headings, and leaves numbers, phone numbers and ids', async () => {
    const cells = [
      '=1+1',
      '+A1+B2*C3',
      '-x y',
      '-cmd|x!A1',
      '+SUM(A1)',
      '@A1',
      '\t=1',
      '\r1',
      '"=1',
      ' =1',
      "'=1",
      '＝1',
      '-12.5',
      '+49170123',
      '-1e5',
      '-5%',
      'a=1',
      '+49 170',
      '-',
      '+1 (212) 555-0569',
      '+1+1',
      '-12:30',
      '+1 212 ext. 5',
      '-1|x',
      '-E5',
      '-oX3_b-k',
      '+a/b+c==',
    ];
    const lines = await csv(cells.map((c) => ({ '=h': c })), { columns: ['=h'] }); // prettier-ignore
    expect(lines).toBe(
      [
        "'=h",
        "'=1+1",
        "'+A1+B2*C3",
        "'-x y",
        "'-cmd|x!A1",
        "'+SUM(A1)",
        "'@A1",
        "'\t=1",
        '"\'\r1"',
        `"'""=1"`,
        "' =1",
        "''=1",
        "'＝1",
        '-12.5',
        '+49170123',
        '-1e5',
        '-5%',
        'a=1',
        '+49 170',
        '-',
        '+1 (212) 555-0569',
        '+1+1',
        '-12:30',
        "'+1 212 ext. 5",
        "'-1|x",
        '-E5',
        '-oX3_b-k',
        '+a/b+c==',
      ]
        .map((cell) => `${cell}\n`)
        .join(''),
    );
    expect(await csv([{ a: -5, b: [-5] }], { columns: ['a', 'b'] })).toContain('-5,[-5]');
    expect(await csv([{ '=h': '=1' }], { columns: ['=h'], formulas: 'keep' })).toBe('=h\n=1\n');
  });

  it('says how many cells hold what CSV can not carry', async () => {
    const report = await write(of({ a: 'x\0y', b: '\uD800', c: '😀' }), { columns: ['a', 'b', 'c'] });
    expect(read('rows.csv')).toBe('a,b,c\n"x\uFFFDy",\uFFFD,😀\n');
    expect(report.replaced).toBe(2);
  });

  it('begins with one byte order mark when told to, and separates by what it is told', async () => {
    expect(await csv([{ a: 1, b: "x's; " }], { columns: ['a', 'b'], bom: true, delimiter: ';', quote: "'", eol: '\r\n' })).toBe(
      "\uFEFFa;b\r\n1;'x''s; '\r\n",
    );
    await write(of({ a: 1, b: 2 }), { columns: ['a', 'b'] }, 'rows.tsv.gz');
    await write(of({ a: 1, b: 2 }), { columns: ['a', 'b'] }, 'rows.tsv');
    expect(read('rows.tsv')).toBe('a\tb\n1\t2\n');
  });

  it('writes the heading alone when no row came and the columns are given', async () => {
    expect((await write(EMPTY, { columns: ['a'], bom: true })).rows).toBe(0);
    expect(read('rows.csv')).toBe('\uFEFFa\n');
    await write(EMPTY, {}, 'none.csv');
    expect(read('none.csv')).toBe('');
  });

  it('appends under the same heading, without a second one', async () => {
    const options = { columns: ['a', 'b'], append: true };
    await write(of({ a: 1, b: 2 }), { ...options, bom: true });
    await write(of({ a: 3, b: 4 }), options);
    expect(read('rows.csv')).toBe('\uFEFFa,b\n1,2\n3,4\n');
    writeFileSync(at('plain.csv'), 'a,"b"\r\n1,2\r\n');
    await write(of({ a: 3, b: 4 }), options, 'plain.csv');
    expect(read('plain.csv')).toBe('a,"b"\r\n1,2\r\n3,4\n');
  });

  it('refuses to append under another heading, the file left as it was', async () => {
    writeFileSync(at('rows.csv'), 'b,a\n1,2\n');
    const error: unknown = await write(of({ a: 1, b: 2 }), { columns: ['a', 'b'], append: true }).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(SinkError);
    expect((error as SinkError).message).toContain(`the file's first line isn't the heading of these rows: ["b","a"] instead of ["a","b"]`);
    expect([read('rows.csv'), readdirSync(folder)]).toEqual(['b,a\n1,2\n', ['rows.csv']]);
  });

  it('fails when a callback throws, the rows before it kept', async () => {
    const options = { columns: [{ header: 'a', value: (row: unknown) => (row as { a: { b: number } }).a.b }] };
    await expect(write(of({ a: { b: 1 } }, {}), options)).rejects.toThrow(/1 whole row is in/);
    expect(read('rows.csv.part')).toBe('a\n1\n');
    await expect(write(of(comes({ x: 1 })), { onUnlisted: () => { throw new Error('mine'); } }, 'b.csv')).rejects.toThrow('mine'); // prettier-ignore
  });

  it('keeps no part that has only a heading', async () => {
    await expect(
      write(
        concat(
          EMPTY,
          throwError(() => new Error('no')),
        ),
        { columns: ['a'] },
      ),
    ).rejects.toThrow('Nothing was left');
    expect(readdirSync(folder)).toEqual([]);
  });

  it('quotes text only where it must be: delimiter, quote, line break, blanks at the ends, what reads as null', async () => {
    const cells = ['a b', 'a,b', 'a"b', 'a\nb', 'a\rb', ' a', 'a ', '\u00a0a', 'a\t', '\\.', 'NULL', 'null', '1', 'é'];
    expect((await csv(cells.map((c) => ({ c })), { columns: ['c'], null: 'NULL' })).split('\nX')[0]).toBe(
      'c\na b\n"a,b"\n"a""b"\n"a\nb"\n"a\rb"\n" a"\n"a "\n"\u00a0a"\n"a\t"\n"\\."\n"NULL"\nnull\n1\né\n',
    ); // prettier-ignore
    expect(await csv([{ a: null, b: '', c: 'x' }], { columns: ['a', 'b', 'c', 'd'], null: 'NULL' })).toBe('a,b,c,d\nNULL,"",x,NULL\n');
  });

  it('refuses options that can not be right when it is called', () => {
    const call =
      (options: CsvOptions, path = 'rows.csv') =>
      () =>
        toCsv(path, options);
    expect(call({ delimiter: '"' })).toThrow(RangeError);
    expect(call({ delimiter: '::' })).toThrow(
      "toCsv: delimiter must be one character that is no letter, digit, sign, quote or bracket, not '::'",
    );
    expect(call({ columns: [] })).toThrow('toCsv: columns must be a list of at least one column, not []');
    expect(call({ columns: ['a', 'a'] })).toThrow("toCsv: columns must be without the same heading twice, not 'a'");
    expect(call({ columns: ['_extra'], extra: true })).toThrow('without the same heading twice');
    expect(call({ formulas: 'drop' as 'keep' })).toThrow(`toCsv: formulas must be 'escape' or 'keep', not 'drop'`);
    expect(call({ quote: '|' as '"' })).toThrow('toCsv: quote must be');
    expect(call({ delimiter: '5' })).toThrow('toCsv: delimiter must be');
    expect(call({ eol: '\r' as '\n' })).toThrow(String.raw`toCsv: eol must be '\n' or '\r\n', not '\r'`);
    expect(call({ null: 'a,b' })).toThrow("toCsv: null must be text without delimiter, quote or line break, not 'a,b'");
    expect(call({}, 'rows.parquet')).toThrow('use toParquet');
  });
});

describe('toCsv of rows whose operation is not known', () => {
  const many = (count: number): object[] => Array.from({ length: count }, (_, id) => ({ id }));

  it('takes the fields of all rows where they are few, in order of appearance', async () => {
    const rows = [
      { id: 1, user: { name: 'Ann' } },
      { id: 2, city: 'Oslo', user: { level: 3 } },
      { tags: [], user: {} },
    ];
    expect(await csv(rows)).toBe('id,user.name,user.level,city,tags\n1,Ann,,,\n2,,3,Oslo,\n,,,,[]\n');
    expect(await csv([{ a: null }, { b: undefined }])).toBe('a\n\n\n');
  });

  it('has a column for what a spread row got on the way', async () => {
    const place = comes({ title: 'Café', images: ['x'] });
    expect(await csv([{ ...place, city: 'Oslo' }])).toBe('title,images,city\nCafé,"[""x""]",Oslo\n');
  });

  it('settles the heading after 1,000 rows, and keeps what comes later in _extra', async () => {
    const report = await write(from([...many(1000), { id: 1000, late: true, user: { name: 'Ann' } }, { id: 1001 }]));
    const lines = read('rows.csv').split('\n');
    expect([lines[0], lines[1], ...lines.slice(1001)]).toEqual(['id,_extra', '0,', '1000,"{""late"":true,""user"":{""name"":""Ann""}}"', '1001,', '']); // prettier-ignore
    expect(report).toMatchObject({ rows: 1002 });
    expect(report.unlisted).toBeUndefined();
  });

  it('settles the heading after 1 MiB', async () => {
    const large = Array.from({ length: 12 }, () => ({ text: 'x'.repeat(100_000) }));
    await write(from([...large, { text: '', late: 1 }]));
    expect(read('rows.csv').split('\n')[0]).toBe('text,_extra');
  });

  it('has one column for a field that is an object in one row and something else in another', async () => {
    expect(await csv([{ a: { b: 1 } }, { a: 2 }])).toBe('a\n"{""b"":1}"\n2\n');
  });

  it('loses no field whose path is that of another, nor one beyond 1,000 columns', async () => {
    expect(await csv([{ 'a.b': 1, a: { b: 2 }, _extra: 3 }])).toBe('a.b,_extra\n1,"{""a"":{""b"":2},""_extra"":3}"\n');
    const wide = Object.fromEntries(Array.from({ length: 1001 }, (_, index) => [`f${index}`, index]));
    expect((await csv([wide])).endsWith(',"{""f1000"":1000}"\n')).toBe(true);
  });

  it('loses neither of two fields without a column that have one path, nor one whose path is that of a column', async () => {
    const rows = [{ 'a.b': 1, 'a.c': 4, a: { b: 2, c: 3 } }, { a: { b: 5 } }];
    const columns = [{ path: 'a.c', keys: ['a', 'c'] }];
    expect(await csv(rows, { columns, extra: true })).toBe('a.c,_extra\n3,"{""a.b"":1,""a.c"":4,""a.b_2"":2}"\n,"{""a.b"":5}"\n');
    expect((await write(from(rows), { columns, overwrite: true })).unlisted).toEqual({ 'a.b': 3, 'a.c': 1 });
  });

  it('writes what had come when the stream fails', async () => {
    const failing = concat(from([{ a: 1 }, { a: 2, b: 3 }]), throwError(() => new Error('no'))); // prettier-ignore
    await expect(write(failing)).rejects.toThrow('2 whole rows');
    expect(read('rows.csv.part')).toBe('a,b,_extra\n1,,\n2,3,\n');
  });

  it('appends under the heading that is there, and refuses a field that has no column in it', async () => {
    writeFileSync(at('rows.csv'), 'b,a\n1,2\n');
    await write(of({ a: 4, b: 3 }), { append: true });
    expect(read('rows.csv')).toBe('b,a\n1,2\n3,4\n');
    await expect(write(of({ a: 5, c: 6 }), { append: true })).rejects.toThrow("the file has no column for 'c'");
    writeFileSync(at('rows.csv'), 'a,_extra\n1,\n');
    await write(of({ a: 5, c: 6 }), { append: true });
    expect(read('rows.csv')).toBe('a,_extra\n1,\n5,"{""c"":6}"\n');
  });
});

describe('columns that no row has', () => {
  it('are an error with the nearest name, before anything is written', async () => {
    await expect(write(of(comes({ title: 'x' })), { columns: ['titel'] })).rejects.toThrow(
      "columns: 'titel': neither mapsReviews nor its first row has that field; did you mean 'title'?",
    );
    await expect(write(of({ title: 'x', city: 'Oslo' }), { columns: ['titel', 'city'] })).rejects.toThrow(
      "columns: 'titel': the first row has no such field; did you mean 'title'?",
    );
    expect(readdirSync(folder)).toEqual([]);
  });

  it('are no error where they are documented, or asked for as a path that may come later, or like no other', async () => {
    expect(await csv([comes({ title: 'x' })], { columns: ['images', 'user', { path: 'badge' }] })).toBe('images,user,badge\n,,\n');
    expect(await csv([{ name1: 'x' }, { name2: 'y' }], { columns: ['name1', 'name2', 'age'] })).toBe('name1,name2,age\nx,,\n,y,\n');
    expect(await csv([{ 'a.b': 1 }], { columns: ['a.b'] })).toBe('a.b\n1\n');
  });
});

describe('the heading of each operation', () => {
  /** The leaves of a shape, straight from the operation's data. */
  const leaves = (shape: Shape, path: string): string[] => {
    if (typeof shape === 'string' || Array.isArray(shape) || '$map' in shape) return [path];
    if ('$hint' in shape) return leaves(shape['$hint'] as Shape, path);
    if ('$nullable' in shape) return leaves(shape['$nullable'], path);
    if ('$hint' in shape) return leaves(shape['$hint'] as Shape, path);
    if ('$oneOf' in shape) return (shape['$oneOf'] as readonly Shape[]).flatMap((one) => leaves(one, path));
    return Object.entries(shape as ObjectShape).flatMap(([key, below]) => {
      const name = key.replace(/\?$/, '');
      return leaves(below, path === '' ? name : `${path}.${name}`);
    });
  };

  it.each(Object.values(operations).map((operation) => [operation.name, operation] as const))(
    '%s is its documented fields, in order',
    async (_, operation) => {
      const { response, rows } = operation.spec;
      let shape: Shape = response;
      for (const key of rows?.split('.') ?? []) {
        const fields = shape as ObjectShape;
        shape = fields[key] ?? fields[`${key}?`]!;
      }
      if (typeof shape === 'object' && '$hint' in shape) shape = shape['$hint'] as Shape;
      const row = rows === null ? shape : (shape as readonly [Shape] | undefined)?.[0];
      if (row === undefined) return; // a list that is documented in words only
      const wanted = [...new Set(leaves(row, ''))];
      const one = {};
      setOrigin(one, { operation: operation.name, columns: columnsOf(operation) });
      await write(of(one));
      expect(read('rows.csv').split('\n')[0]).toBe(wanted.join(','));
    },
  );
});
