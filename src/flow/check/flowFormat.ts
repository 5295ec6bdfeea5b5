import { z } from 'zod';

const value = z.union([z.string(), z.number(), z.boolean()]);
const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);
const comparable = z.union([z.number(), z.string()]);
const comparisons = z.strictObject({
  '=': scalar.optional(),
  '!=': scalar.optional(),
  '>': comparable.optional(),
  '>=': comparable.optional(),
  '<': comparable.optional(),
  '<=': comparable.optional(),
  exists: z.boolean().optional().describe('Whether the field is there and neither null nor empty.'),
});
const name = z.string().min(1);
const names = z.union([name, z.array(name).min(1)]);

const stage = z.strictObject({
  call: name.describe('An operation, or a ready fan-out.'),
  each: names.optional().describe("Stages whose rows it runs over; or one seed file (.csv, .tsv, .jsonl); or '-' for standard input."),
  with: z
    .record(z.string(), z.union([value, z.array(value).min(1)]))
    .optional()
    .describe('The query. A list runs over its values; $.field reads the row; ${$.field} and ${env.NAME} stand inside other text.'),
  pages: z
    .union([z.int().min(1), z.literal('all')])
    .optional()
    .describe('Pages of one query, at most. Left out: 1.'),
  limit: z.int().min(1).optional().describe('Rows of one query, at most.'),
  rows: name.optional().describe('Another list of the answer, as a dotted path.'),
  keep: z.record(z.string(), value).optional().describe('Columns copied from the row that the stage runs over.'),
  where: z
    .record(z.string(), z.union([scalar, z.array(scalar), comparisons]))
    .optional()
    .describe('Only rows of which all of this is true.'),
  pick: z.array(name).min(1).optional().describe('Only these fields are written.'),
  by: names.optional().describe('The fields that make two rows the same; the first of them stays.'),
  to: names.optional().describe('Files in the output folder: .jsonl, .csv or .tsv, each also with .gz.'),
  onError: z
    .enum(['aside', 'stop'])
    .optional()
    .describe("A unit that fails is put aside, on record; or it stops the run. Left out: 'aside'."),
  cursor: name.optional().describe('Where the token of the next page is, as a dotted path in the answer.'),
});

/** The format of a flow, without what depends on the operations. */
export const flowFormat: z.ZodType = z.strictObject({
  $schema: z.string().optional(),
  name: z.string().min(1),
  stages: z.record(z.string().regex(/^[A-Za-z][\w-]*$/), stage).describe('By name: letters, digits, _ and -.'),
  maxRequests: z.int().min(1).optional().describe('Requests of one run, retries included.'),
  failAbove: z.number().min(0).max(1).optional().describe('The share of failed units that stops a run. Left out: 0.5.'),
});

/** The names that a flow and a stage may have. */
export const flowKeys: readonly string[] = ['$schema', 'name', 'stages', 'maxRequests', 'failAbove'];
export const stageKeys: readonly string[] = Object.keys(stage.shape);
