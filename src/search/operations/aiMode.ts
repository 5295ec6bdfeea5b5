import { shared } from '../shared.ts';
import type { DataOf, MadeOf, Operation, QueryOf, RowAt } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';

const spec = {
  name: 'aiMode',
  title: 'AI mode answer',
  group: 'Generated answers',
  get: '/ai-mode',
  about: 'A generated answer to a question, with its sources.',
  params: {
    query: { type: 'string', required: true, about: 'the question' },
    html: shared.html,
    country: shared.country,
    uule: shared.uule,
    location: shared.location,
    safe: shared.safe,
  },
  response: {
    inline_images: 'array',
    text_blocks: [
      {
        $oneOf: [
          { type: '=paragraph', snippet: 'string' },
          { type: '=heading', text: 'string', level: 'integer' },
          { type: '=list', items: [{ type: '=list_item', snippet: 'string', links: 'array' }] },
        ],
        $by: 'type',
        $open: true,
      },
    ],
    references: [
      {
        title: 'string',
        link: 'string',
        'snippet?': 'string',
        source: 'string: may be empty',
        index: 'integer: counted from 1',
        thumbnail: 'string',
        favicon: 'string',
      },
    ],
    local_results: 'array',
  },
  rows: null,
  answer: { blocks: 'text_blocks', references: 'references' },
} as const;

export const aiMode: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type AiModeQuery = QueryOf<typeof spec>;
export type AiModeData = DataOf<typeof spec>;
export type AiModeTextBlock = RowAt<AiModeData, 'text_blocks'>;
