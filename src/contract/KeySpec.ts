/** How the API key goes along with a request. */
export type KeySpec = HeaderKey | ParamKey | BasicKey;

export interface HeaderKey {
  readonly header: string;
  /** The header's value. One that is asynchronous is made once, and once more after a 401. @default the key itself */
  readonly value?: ((key: string) => string | Promise<string>) | undefined;
}

/** The key is a parameter in the address, also in that of a next page. No address that trawler keeps or shows has it. */
export interface ParamKey {
  readonly param: string;
}

/** HTTP Basic. The key is `user:password`, or the user alone. */
export interface BasicKey {
  readonly basic: true;
}

/** The fields that each kind of key has, by the field that names the kind. */
const keyFields = { header: ['header', 'value'], param: ['param'], basic: ['basic'] } as const;
type KeyKind = keyof typeof keyFields;
const kinds = Object.keys(keyFields) as KeyKind[];
const kindsText = kinds.join(', ');

/** What is wrong with a description's `key`, or undefined. `params`: the parameters of each operation. */
export function keyFault(key: object, params: { readonly [operation: string]: object }): string | undefined {
  const spec = key as { readonly [field: string]: unknown };
  const [kind, ...others] = kinds.filter((each) => spec[each] !== undefined);
  if (kind === undefined || others.length > 0) return `key must have one of ${kindsText}`;
  const fields: readonly string[] = keyFields[kind];
  const unknown = Object.keys(spec).find((field) => !fields.includes(field));
  if (unknown !== undefined) return `key has no ${unknown} beside ${kind}; it has ${fields.join(', ')}`;
  return faults[kind](spec[kind], spec, params);
}

type Fault = (
  value: unknown,
  spec: { readonly [field: string]: unknown },
  params: { readonly [operation: string]: object },
) => string | undefined;

const faults: { readonly [kind in KeyKind]: Fault } = {
  header: (header, { value }) => {
    if (typeof header !== 'string' || !/^[A-Za-z0-9-]+$/.test(header))
      return `key.header must be a header's name, not ${JSON.stringify(header)}`;
    return value === undefined || typeof value === 'function' ? undefined : `key.value must be a function, not ${JSON.stringify(value)}`;
  },
  param: (param, _, params) => {
    if (typeof param !== 'string' || param === '') return `key.param must be a parameter's name, not ${JSON.stringify(param)}`;
    const taken = Object.keys(params).find((operation) => Object.hasOwn(params[operation]!, param));
    return taken === undefined
      ? undefined
      : `key.param is ${JSON.stringify(param)}, which is also a parameter of ${taken}; leave it out there`;
  },
  basic: (basic) => (basic === true ? undefined : `key.basic must be true, not ${JSON.stringify(basic)}`),
};
