import type { FailedQuery } from '../core/Query.ts';
import { escapeHtml, formatCount } from './format.ts';

/** Failures of one kind: same class, and messages that differ only in query, ids and figures. */
export interface ReportFailures {
  readonly name: string;
  /** The common part of their messages. */
  readonly kind: string;
  readonly count: number;
  readonly example: string;
  readonly stages: readonly string[];
}

const maxKinds = 40;
const maxExample = 500;

/** Counts failures by kind, each with its first message. The number of kinds is limited, so that memory doesn't grow. */
export class FailureKinds {
  readonly #kinds = new Map<string, { name: string; kind: string; count: number; example: string; stages: Set<string> }>();

  /** Returns whether it is the first of its kind in its stage. */
  add(stage: string, { name, message }: { readonly name: string; readonly message: string }): boolean {
    const kind = failureKind(message);
    const known = this.#kinds.get(`${name}\n${kind}`);
    const isFirst = known?.stages.has(stage) !== true;
    if (known !== undefined) {
      known.count += 1;
      known.stages.add(stage);
    } else if (this.#kinds.size < maxKinds)
      this.#kinds.set(`${name}\n${kind}`, { name, kind, count: 1, example: message.slice(0, maxExample), stages: new Set([stage]) });
    return isFirst;
  }

  /** The commonest first. */
  get list(): readonly ReportFailures[] {
    const all = Array.from(this.#kinds.values(), ({ stages, ...failure }) => ({ ...failure, stages: [...stages] }));
    return all.toSorted((one, other) => other.count - one.count);
  }
}

export function failuresByKind(
  failed: Iterable<Pick<FailedQuery, 'failure'> & { readonly query: Pick<FailedQuery['query'], 'stage'> }>,
): readonly ReportFailures[] {
  const kinds = new FailureKinds();
  for (const { query, failure } of failed) kinds.add(query.stage, failure);
  return kinds.list;
}

/** Groups failures: the message without query, ids, figures and the operation in front. Failures of one kind share it. */
export function failureKind(message: string): string {
  return message
    .replaceAll(/ ?\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}/g, '')
    .replace(/^\w+: /, '')
    .replaceAll(/\b(?=[\w-]*\d)(?=[\w-]*[a-f-])[\w-]{12,}\b/g, '…')
    .replaceAll(/\d{4,}/g, '…')
    .slice(0, 300);
}

/** What a failure means for its query, and what to do. '' for others: their message says it. */
export function adviceFor(message: string): string {
  return advice.find(([pattern]) => pattern.test(message))?.[1] ?? '';
}

const advice: readonly (readonly [RegExp, string])[] = [
  [/\bHTTP (404|410)\b/, 'The service has nothing at this address. The id in the query is wrong or gone. Other queries are not touched.'],
  [/\bHTTP (401|403)\b/, 'The service does not accept the key for this query.'],
  [/\bHTTP (400|422)\b/, 'The service refuses the query as it is. Look at its parameters.'],
  [/\bHTTP 429\b/, 'The service allows fewer requests. Give a lower --rate, then retry.'],
  [/\bHTTP 5\d\d\b|ECONN|ENOTFOUND|no response within/, 'The service did not answer. Retry later.'],
];

/** Each kind of failure once, with its count and its first message, as HTML. `others`: failures of further kinds. */
export function failureTable(failures: readonly ReportFailures[], others: number): string {
  const body = failures.map(
    (one) =>
      `<tr><td class="n bad">${formatCount(one.count)} ×</td><td class="nowrap">${one.stages.map(escapeHtml).join('<br>')}</td><td ` +
      `class="wide"><b>${escapeHtml(one.name)}</b>: ${escapeHtml(one.kind)}${said(adviceFor(one.example))}<details><summary>the first ` +
      `of them</summary>${escapeHtml(one.example)}</details></td></tr>`,
  );
  if (others > 0) {
    body.push(
      `<tr><td class="n bad">${formatCount(others)} ×</td><td></td><td class="wide">of other kinds: see <a ` +
        `href="failures.jsonl">failures.jsonl</a></td></tr>`,
    );
  }
  return `<table class="failures"><tbody>${body.join('\n')}</tbody></table>`;
}

function said(advice: string): string {
  return advice === '' ? '' : `<br>${advice}`;
}
