import { madeOperation } from '../../contract/madeOperation.ts';
import { params, resultOf, task } from './shared.ts';

/** The text of a block is in `text`, which others call `snippet`. References have no number. */
export const aiMode = madeOperation({
  post: '/serp/google/ai_mode/live/advanced',
  about: 'A generated answer to a question, with its sources.',
  body: [task],
  params,
  response: resultOf({
    'markdown?': 'string|null',
    'items?': { $nullable: [{ type: 'string', 'title?': 'string|null', 'text?': 'string|null', 'markdown?': 'string|null' }] },
    'references?': {
      $nullable: [
        {
          'position?': 'integer|null',
          'source?': 'string|null',
          'domain?': 'string|null',
          'url?': 'string|null',
          'title?': 'string|null',
          'text?': 'string|null',
        },
      ],
    },
  }),
  rows: null,
  answer: { blocks: 'items.0.items', references: 'items.0.references' },
});
