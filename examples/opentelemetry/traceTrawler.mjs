import { context, trace } from '@opentelemetry/api';
import { subscribe } from 'node:diagnostics_channel';

/** Makes spans of what every client and flow of the process does: flow, stage, query, request. */
export function traceTrawler(tracer) {
  const open = new Map(); // each span by what it stands for
  const spanOf = (key, name, startTime, parent) => {
    const under = parent === undefined ? context.active() : trace.setSpan(context.active(), parent);
    if (!open.has(key)) open.set(key, tracer.startSpan(name, { startTime }, under));
    return open.get(key);
  };
  subscribe('trawler:flow', ({ type, flow, at, endedAt }) => {
    if (type === 'start') spanOf('flow', `flow ${flow}`, at);
    if (type !== 'summary') return;
    for (const span of open.values()) if (span.isRecording()) span.end(endedAt);
    open.clear();
  });
  subscribe('trawler', ({ type, label, walk, id, attempt, operation, query, at }) => {
    if (type === 'response' || type === 'retry' || type === 'failure') open.get(`request ${id}.${attempt}`)?.end(at);
    if (type !== 'request') return;
    // A request of a pipe has no stage and no query above it.
    const stage = label === undefined ? undefined : spanOf(`stage ${label}`, `stage ${label}`, at, open.get('flow'));
    const walked = label === undefined ? undefined : spanOf(`query ${walk}`, `query ${operation}`, at, stage);
    spanOf(`request ${id}.${attempt}`, `request ${operation}, attempt ${attempt}`, at, walked).setAttribute('query', JSON.stringify(query));
  });
}
