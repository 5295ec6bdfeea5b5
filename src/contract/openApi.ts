import { answerJsonSchema, type JsonSchema } from './answerJsonSchema.ts';
import { paramJsonSchema } from './checkQuery/paramJsonSchema.ts';
import { ruleText } from './checkQuery/rules.ts';
import type { Operation } from './Operation.ts';

export interface OpenApiOptions {
  /** Of the document. @default '1' */
  readonly version?: string | undefined;
  /** What comes before each operation's path. @default '/api/v1/engine' */
  readonly pathPrefix?: string | undefined;
  /** Where the service is. @default '/' */
  readonly serverUrl?: string | undefined;
}

/** An OpenAPI 3.1 document of the given operations, as plain data. */
export function openApi(operations: { readonly [name: string]: Operation }, options: OpenApiOptions = {}): JsonSchema {
  const { version = '1', pathPrefix = '/api/v1/engine', serverUrl = '/' } = options;
  const all = Object.values(operations);
  return {
    openapi: '3.1.0',
    info: { title: 'Search data service', version, description: 'Structured data of a web search engine and its verticals, read only.' },
    servers: [{ url: serverUrl }],
    security: [{ apiKey: [] }],
    tags: [...new Set(all.map(({ spec }) => spec.group))].map((name) => ({ name })),
    paths: Object.fromEntries(all.map((operation) => [`${pathPrefix}${operation.spec.path}`, { get: get(operation) }])),
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
      schemas: Object.fromEntries(all.map((operation) => [dataName(operation), answerJsonSchema(operation)])),
    },
  };
}

function get(operation: Operation): JsonSchema {
  const { spec, params } = operation;
  const rules = (spec.rules ?? []).map((rule) => `\n- ${ruleText(rule)}`).join('');
  return {
    operationId: spec.name,
    summary: spec.title,
    description: `${spec.about}${rules}`,
    tags: [spec.group],
    parameters: Object.entries(params).map(([name, param]) => ({
      name,
      in: 'query',
      required: param.required === true,
      description: param.about,
      schema: paramJsonSchema(param),
    })),
    responses: {
      200: { description: 'The answer in its envelope.', content: { 'application/json': { schema: envelope(operation) } } },
      default: { description: 'A failure, whose form is not documented.' },
    },
  };
}

function envelope(operation: Operation): JsonSchema {
  return {
    type: 'object',
    properties: {
      code: { type: 'integer', description: '200 for success' },
      message: { type: 'string' },
      data: { $ref: `#/components/schemas/${dataName(operation)}` },
      requestId: { type: 'string' },
      timestamp: { type: 'integer', description: 'milliseconds since 1970' },
    },
    required: ['code', 'message', 'data', 'requestId', 'timestamp'],
    additionalProperties: true,
  };
}

function dataName({ name }: Operation): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Data`;
}
