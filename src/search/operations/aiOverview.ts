import type { DataOf, MadeOf, Operation, QueryOf, RowAt } from '../../contract/Operation.ts';
import { madeOperation } from '../../contract/madeOperation.ts';
import { reference, linkedList, paragraph } from '../shared.ts';

const spec = {
  name: 'aiOverview',
  title: 'AI overview',
  group: 'Generated answers',
  get: '/ai-overview',
  about: 'The generated overview that a web search points to.',
  params: {
    url: {
      type: 'string',
      required: true,
      from: 'ai_overview_url of webSearch',
      about: 'address of the overview, usually valid for about two minutes',
    },
  },
  response: {
    ai_overview: {
      text_blocks: [{ $oneOf: [paragraph as typeof paragraph, linkedList as typeof linkedList], $by: 'type', $open: true }],
      references: [reference as typeof reference],
    },
  },
  rows: null,
  answer: { blocks: 'ai_overview.text_blocks', references: 'ai_overview.references' },
} as const;

export const aiOverview: Operation<MadeOf<typeof spec>> = madeOperation(spec);
export type AiOverviewQuery = QueryOf<typeof spec>;
export type AiOverviewData = DataOf<typeof spec>;
export type AiOverviewTextBlock = RowAt<AiOverviewData, 'ai_overview.text_blocks'>;
