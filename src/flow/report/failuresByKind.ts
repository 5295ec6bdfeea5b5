import type { FailedQuery } from '../state/FlowState.ts';

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

/** Counts failures by kind, the commonest first, each with its first message. Those of further kinds are left out. */
export function failuresByKind(
  failed: Iterable<Pick<FailedQuery, 'failure'> & { readonly query: Pick<FailedQuery['query'], 'stage'> }>,
): readonly ReportFailures[] {
  const kinds = new Map<string, { name: string; kind: string; count: number; example: string; stages: Set<string> }>();
  for (const { query, failure } of failed) {
    const { name, message } = failure;
    const kind = failureKind(message);
    const known = kinds.get(`${name}\n${kind}`);
    if (known !== undefined) {
      known.count += 1;
      known.stages.add(query.stage);
    } else if (kinds.size < maxKinds)
      kinds.set(`${name}\n${kind}`, { name, kind, count: 1, example: message.slice(0, maxExample), stages: new Set([query.stage]) });
  }
  return Array.from(kinds.values(), ({ stages, ...failure }) => ({ ...failure, stages: [...stages] })).toSorted(
    (one, other) => other.count - one.count,
  );
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
