import type { KeySpec } from './EnvelopeSpec.ts';
import type { Service } from './Service.ts';
import { bodyFormats, type ParamSpec } from './Param.ts';
import type { Operation } from './Operation.ts';
import { envelopeOf } from './envelopeOf.ts';
import { hasBody, paramPart } from './requestPath.ts';
import { formOf } from './checkQuery/formats.ts';
import { anything, text, declareOptions } from '../../operators/options/index.ts';
import { fieldsOf, kindOfShape, leafOf, type Leaf, type MapShape, type ObjectShape, type Shape } from './Shape.ts';
import { rowPlaceOf, rowShape } from './fieldAt.ts';

export interface OpenApiOptions {
  /** Of the document. @default '1' */
  readonly version?: string | undefined;
  /** Prefix of each operation's path. @default the service's own */
  readonly pathPrefix?: string | undefined;
  /** Address of the service. @default '/' */
  readonly serverUrl?: string | undefined;
  /** Only these operations. @default all of the service */
  readonly operations?: { readonly [name: string]: Operation } | undefined;
}

const openApiOptions = declareOptions<OpenApiOptions>()({
  version: text().or('1'),
  pathPrefix: anything<string>(),
  serverUrl: text().or('/'),
  operations: anything(),
});

/** An OpenAPI 3.1 document of a service, as plain data. */
export function openApi(service: Service, options: OpenApiOptions = {}): JsonSchema {
  const { name, about, key, basePath = '' } = service;
  const given = openApiOptions.read('openApi', options);
  const { version, pathPrefix = basePath, serverUrl, operations = service.operations } = given;
  const all = Object.values(operations);
  return {
    openapi: '3.1.0',
    info: {
      title: `${name.charAt(0).toUpperCase()}${name.slice(1)} service`,
      version,
      ...(about === undefined ? {} : { description: about }),
    },
    servers: [{ url: serverUrl }],
    ...(key === undefined ? {} : { security: [{ apiKey: [] }] }),
    tags: [...new Set(all.flatMap(({ spec }) => spec.group ?? []))].map((tag) => ({ name: tag })),
    paths: Object.fromEntries(
      all.map((operation) => [
        `${pathPrefix}${operation.spec.path}`,
        { [(operation.spec.method ?? 'GET').toLowerCase()]: describe(service, operation) },
      ]),
    ),
    components: {
      ...(key === undefined ? {} : { securitySchemes: { apiKey: securityScheme(key) } }),
      schemas: Object.fromEntries(all.map((operation) => [dataName(operation), responseJsonSchema(operation)])),
    },
  };
}

function describe(service: Service, operation: Operation): JsonSchema {
  const { spec, params } = operation;
  const rules = (spec.rules ?? []).map((rule) => `\n- ${rule.text}`).join('');
  return {
    operationId: spec.name,
    summary: spec.title ?? spec.name,
    description: `${spec.about ?? ''}${rules}`,
    ...(spec.group === undefined ? {} : { tags: [spec.group] }),
    parameters: Object.entries(params)
      .filter(([name]) => paramPart(spec, name) !== 'body')
      .map(([name, param]) => ({
        name: param.name ?? name,
        in: paramPart(spec, name),
        ...styleOf(param),
        required: param.required === true,
        ...(param.about === undefined ? {} : { description: param.about }),
        schema: paramJsonSchema(param),
      })),
    ...requestBodySchema(operation),
    responses: {
      200: {
        description: 'The response in its envelope.',
        content: { [bodyFormats[spec.format ?? 'json'].mediaType]: { schema: bodySchema(service, operation) } },
      },
      default: { description: 'A failure, whose form is not documented.' },
    },
  };
}

/** How a list is written, where that isn't the standard. */
function styleOf({ type, style = 'repeat' }: ParamSpec): JsonSchema {
  if ((type !== 'strings' && type !== 'array') || style === 'repeat') return {};
  return style === 'comma' ? { style: 'form', explode: false } : {};
}

/** The body of a request, with its parameters where they belong. Fixed members are constants. */
function requestBodySchema({ spec, params }: Operation): JsonSchema {
  if (!hasBody(spec)) return {};
  const inBody = Object.entries(params).filter(([name]) => paramPart(spec, name) === 'body');
  const schema: Node = { properties: {}, required: [] };
  for (const [key, value] of Object.entries(spec.body ?? {})) schema.properties[key] = { const: value };
  for (const [name, param] of inBody) put(schema, (param.at ?? param.name ?? name).split('.'), param);
  const type = spec.bodyAs === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return { requestBody: { required: true, content: { [type]: { schema: { type: 'object', ...schema } } } } };
}

interface Node {
  properties: { [key: string]: object };
  required: string[];
}

function put(node: Node, [key, ...rest]: readonly string[], param: ParamSpec): void {
  if (param.required === true && !node.required.includes(key!)) node.required.push(key!);
  if (rest.length === 0) {
    node.properties[key!] = { ...(param.about === undefined ? {} : { description: param.about }), ...paramJsonSchema(param) };
    return;
  }
  const known = node.properties[key!];
  const inner = known !== undefined && 'properties' in known ? (known as Node) : { type: 'object', properties: {}, required: [] };
  node.properties[key!] = inner;
  put(inner as Node, rest, param);
}

/** The schema of a whole body: the data in its envelope. */
function bodySchema(service: Service, operation: Operation): JsonSchema {
  const { data = '', code, message, requestId, timestamp } = envelopeOf(service, operation);
  const reference = { $ref: `#/components/schemas/${dataName(operation)}` };
  if (data === '') return reference;
  const parts: readonly (readonly [path: string | undefined, schema: JsonSchema])[] = [
    [code?.at, { type: typeOfCode(code?.good), description: `${String(code?.good)} for success` }],
    [message, { type: 'string' }],
    [data, reference],
    [requestId, { type: 'string' }],
    [timestamp, { type: 'integer', description: 'milliseconds since 1970' }],
  ];
  return nest(parts.flatMap(([path, schema]) => (path === undefined ? [] : [[path.split('.'), schema] as const])));
}

function typeOfCode(good: unknown): string {
  return typeof good === 'number' ? 'integer' : typeof good;
}

/** Schemas at paths as one schema of an object that has all of them. */
function nest(parts: readonly (readonly [keys: readonly string[], schema: JsonSchema])[]): JsonSchema {
  const names = [...new Set(parts.map(([[first]]) => first!))];
  const properties = names.map((name) => {
    const inside = parts.filter(([keys]) => keys[0] === name);
    const [keys, schema] = inside[0]!;
    return [name, keys.length === 1 ? schema : nest(inside.map(([[, ...rest], inner]) => [rest, inner] as const))] as const;
  });
  return { type: 'object', properties: Object.fromEntries(properties), required: names, additionalProperties: true };
}

function dataName({ name }: Operation): string {
  return `${name.charAt(0).toUpperCase()}${name.slice(1)}Data`;
}

/** A parameter's value as JSON Schema. */
function paramJsonSchema(param: ParamSpec): JsonSchema {
  const { type, min, max, step, oneOf, known } = param;
  if (type === 'strings') return { type: 'array', minItems: 1, items: paramJsonSchema({ ...param, type: 'string' }) };
  return {
    type,
    ...(param.default === undefined ? {} : { default: param.default }),
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
    ...(step === undefined ? {} : { multipleOf: step }),
    ...(type === 'string' ? text() : {}),
  };

  function text(): JsonSchema {
    if (oneOf !== undefined) return { enum: oneOf };
    const examples = known === undefined ? {} : { examples: known };
    return { ...(formOf(param)?.schema ?? { minLength: 1 }), ...examples };
  }
}

/** How the key goes along. What `sign` does can't be said here. */
function securityScheme(key: KeySpec): object {
  if ('basic' in key) return { type: 'http', scheme: 'basic' };
  if ('oauth2' in key) return { type: 'http', scheme: 'bearer', description: `OAuth 2, ${key.oauth2.grant}, from ${key.oauth2.address}` };
  if ('param' in key) return { type: 'apiKey', in: 'query', name: key.param };
  return { type: 'apiKey', in: 'header', name: 'header' in key ? key.header : 'authorization' };
}

/** A JSON Schema (2020-12), as plain data. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/**
 * The shape of an operation's `data` as JSON Schema. Undocumented fields are allowed everywhere. If a parameter selects
 * among responses, any of them is valid.
 */
export function responseJsonSchema(operation: Operation): JsonSchema {
  const { response, variants } = operation.spec;
  if (variants === undefined) return schemaOf(response);
  return { anyOf: [response, ...Object.values(variants.values).map((variant) => variant.response)].map(schemaOf) };
}

/** The shape of a row of the list at a dotted path, by default the operation's own list. `{}` if undocumented. */
export function rowJsonSchema(operation: Operation, list: string | null = operation.spec.list): JsonSchema {
  const shape = rowShape(operation.spec.response, list, rowPlaceOf(operation, list));
  return shape === undefined ? {} : schemaOf(shape);
}

function schemaOf(shape: Shape): JsonSchema {
  const at = kindOfShape(shape);
  switch (at.kind) {
    case 'leaf':
      return leafSchema(at.leaf);
    case 'list':
      return { type: 'array', items: schemaOf(at.of) };
    case 'nullable':
      return { anyOf: [schemaOf(at.of), { type: 'null' }] };
    case 'hint':
      return {};
    case 'oneOf':
      return { anyOf: [...at.union.$oneOf.map(schemaOf), ...(at.union.$open === true ? [{ type: 'object' }] : [])] };
    case 'map':
      return mapSchema(at.map);
    default:
      return objectSchema(at.object);
  }
}

function leafSchema(leaf: Leaf): JsonSchema {
  const { type, nullable, texts, open, remark } = leafOf(leaf);
  const description = remark === undefined ? {} : { description: remark };
  if (type === 'unknown') return description;
  const types = [...type.split('|'), ...(nullable ? ['null'] : [])];
  const values = texts === undefined ? {} : open === true ? { examples: texts } : { enum: texts };
  return { type: types.length === 1 ? types[0] : types, ...values, ...description };
}

function objectSchema(shape: ObjectShape): JsonSchema {
  const fields = fieldsOf(shape);
  const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
  return {
    type: 'object',
    properties: Object.fromEntries(fields.map((field) => [field.name, schemaOf(field.shape)])),
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: true,
  };
}

function mapSchema({ $map, $known = {}, $suffix, $twin = 'unknown' }: MapShape): JsonSchema {
  const twins = $suffix === undefined ? {} : { patternProperties: { [`${$suffix}$`]: schemaOf($twin) } };
  return { ...objectSchema($known), ...twins, additionalProperties: schemaOf($map) };
}
