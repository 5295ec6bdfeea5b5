import { jsonlEncoder } from '../jsonlEncoder.ts';
import { jsonlLoaders } from '../load/jsonlLoaders.ts';
import type { TextFormat } from './FileFormat.ts';

export const jsonl: TextFormat = {
  endings: ['.jsonl', '.ndjson'],
  mediaType: 'application/jsonl',
  text: true,
  tables: false,
  delimiter: undefined,
  encoder: () => jsonlEncoder(),
  load: jsonlLoaders,
};
