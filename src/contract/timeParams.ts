import { type Method, methods, type ParamSpec } from './Param.ts';
import { namesIn } from './template.ts';

const about = {
  since: 'only rows that changed from this time on',
  from: 'the first day, or when it begins',
  to: 'the last day, or when it ends',
} as const;
/** The times that a query gives. */
export type GivenTimeName = keyof typeof about;
const given = Object.keys(about) as readonly GivenTimeName[];

type Texts = { readonly [part in Method | 'query' | 'headers' | 'body' | 'form']?: unknown } & { readonly most?: string };

/** The parameters that texts of a request make: the times that they name. */
export function timeParams(spec: Texts): { readonly [name in GivenTimeName]?: ParamSpec } {
  const { query, headers, body, form, most } = spec;
  const path = methods.map((method) => spec[method]);
  const names = namesIn([path, query, headers, body, form]);
  const inPath = namesIn(path);
  const made = given.filter((name) => names.has(name));
  return Object.fromEntries(
    made.map((name) => {
      const isNeeded = inPath.has(name) || (most !== undefined && name !== 'since');
      return [name, { type: 'string', format: 'time', about: about[name], ...(isNeeded && { required: true }) } satisfies ParamSpec];
    }),
  );
}

/** The times among the parameters of an operation: its texts name them. */
export function timesOf({ params }: { readonly params: { readonly [name: string]: ParamSpec } }): readonly GivenTimeName[] {
  return given.filter((name) => params[name]?.format === 'time');
}
