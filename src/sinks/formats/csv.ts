import { csvEncoder } from '../csvEncoder.ts';
import { csvLoaders } from '../load/csvLoaders.ts';
import type { TextFormat } from './FileFormat.ts';

export const csv: TextFormat = {
  endings: ['.csv'],
  mediaType: 'text/csv',
  text: true,
  tables: false,
  delimiter: ',',
  encoder: csvEncoder,
  load: csvLoaders,
};

export const tsv: TextFormat = {
  ...csv,
  endings: ['.tsv'],
  mediaType: 'text/tab-separated-values',
  delimiter: '\t',
  encoder: (options, found) => csvEncoder({ ...options, delimiter: options.delimiter ?? '\t' }, found),
};
