import type { FlowIssue } from './checkFlow.ts';

/** The message of a flow that can't be run: all faults, each with its place. */
export function flowFaults(definition: unknown, issues: readonly FlowIssue[]): string {
  const name = typeof definition === 'object' && definition !== null && 'name' in definition ? ` ${String(definition.name)}` : '';
  const lines = issues.map(({ path, line, column, message }) => {
    const place = [line === undefined ? undefined : `${line}:${column}`, path === '' ? undefined : path]
      .filter((one) => one !== undefined)
      .join(' ');
    return `  ${place === '' ? '' : `${place}: `}${message}`;
  });
  return `flow${name} has ${issues.length} ${issues.length === 1 ? 'fault' : 'faults'}; no request was sent\n${lines.join('\n')}`;
}
