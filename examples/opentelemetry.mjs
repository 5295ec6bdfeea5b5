// Spans for OpenTelemetry, from the diagnostics channels: flow, stage, query, request.
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { lastValueFrom } from 'rxjs';
import { createClient } from 'trawler';
import { runFlow } from 'trawler/flow';
import { startSandbox } from 'trawler/sandbox';
import { traceTrawler } from './opentelemetry/traceTrawler.mjs';

const exporter = new InMemorySpanExporter(); // in production, the exporter for OTLP
traceTrawler(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }).getTracer('trawler'));

const sandbox = await startSandbox({ faults: [{ fault: 'status', status: 503, nth: 2 }] });
const client = createClient({ baseUrl: sandbox.url, apiKey: sandbox.apiKey, concurrency: 1, retry: { baseMs: 1 } });
const flow = { name: 'tea', stages: { places: { call: 'mapsSearch', with: { query: 'tea', ll: '@40.74,-73.98,14z' }, pages: 2 } } };
await lastValueFrom(runFlow(flow, { client, outDir: 'out' }));

const spans = exporter.getFinishedSpans().map((span) => [span.name, span.parentSpanContext?.spanId, span.spanContext().spanId]);
const nameOf = (wanted) => spans.find(([, , id]) => id === wanted)?.[0] ?? 'nothing';
for (const [name, parent] of spans) console.log(`${name} in ${nameOf(parent)}`);
await client.close();
await sandbox.close();

/* prints
request mapsSearch, attempt 1 in query mapsSearch
request mapsSearch, attempt 1 in query mapsSearch
request mapsSearch, attempt 2 in query mapsSearch
flow tea in nothing
stage places in flow tea
query mapsSearch in stage places
*/
