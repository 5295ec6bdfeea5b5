import { closeSync, openSync, readSync } from 'node:fs';
import { basename } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import { decompressed } from '../../sinks/compression.ts';
import { fileKindOf } from '../../sinks/index.ts';
import { withFormula } from '../../sinks/table/csvCell.ts';
import { readHeading } from '../../sinks/table/readHeading.ts';
import { decoderOf, decodedText } from './textLines.ts';

const most = 1 << 20;

/** The columns that a seed file names: its heading, or the fields of its first object; reads no more than 1 MiB. */
export function readHeader(path: string): readonly string[] {
  const bytes = Buffer.alloc(most);
  const file = openSync(path, 'r');
  let read: number;
  try {
    read = readSync(file, bytes, 0, most, 0);
  } finally {
    closeSync(file);
  }
  const kind = fileKindOf(path);
  const plain = decompressed(bytes.subarray(0, read), kind?.compression);
  const all = Buffer.from(decoderOf(plain)(plain));
  // what is behind the last whole line may end in the midst of a character
  const whole = read < most ? all : all.subarray(0, all.lastIndexOf(0x0a) + 1);
  const text = decodedText(whole, basename(path)).replace(/^\uFEFF/, '').replace(/^(?:[ \t]*\r?\n)+/, ''); // prettier-ignore
  if (kind?.format === 'jsonl') return Object.keys(JSON.parse(text.split('\n')[0] || '{}') as object);
  const headings = readHeading(text, kind?.format === 'tsv' ? '\t' : ',').map(withFormula);
  return checkHeadings(headings, basename(path)).filter((heading) => heading !== '');
}

/** Refuses a heading that is there twice: one of the columns would be lost. */
export function checkHeadings(headings: readonly string[], place: string): readonly string[] {
  const twice = headings.find((heading, index) => heading !== '' && headings.indexOf(heading) < index);
  if (twice !== undefined) throw new FlowError(`${place}: two columns are called '${twice}'`);
  return headings;
}
