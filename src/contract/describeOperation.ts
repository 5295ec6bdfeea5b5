import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
import { formOf, rightValue } from './checkQuery/formats.ts';
import type { Operation } from './Operation.ts';
import type { ParamSpec, ParamType } from './Param.ts';
import { columnsOf } from './columnsOf.ts';
import { fieldsOf, kindOfShape, leafOf, type Shape } from './Shape.ts';
import { planOf, routeOf } from './request.ts';
import { slotsOf } from './template.ts';

/** An operation, described for help and reference. */
export interface OperationDescription {
  readonly name: string;
  readonly title: string;
  /** '' if it is in no group. */
  readonly group: string;
  /** Its HTTP method. */
  readonly method: string;
  /** The path, after that of the service. */
  readonly path: string;
  readonly about: string;
  readonly params: readonly ParamDescription[];
  /** The rules between parameters, one sentence each. */
  readonly rules: readonly string[];
  readonly lists: readonly ListOf[];
  /** How to get the next page, as a sentence. '' if there is only one page. */
  readonly paging: string;
}

export interface ParamDescription {
  readonly name: string;
  readonly type: ParamType;
  readonly required: boolean;
  readonly default: string | number | boolean | undefined;
  /** The allowed values, in words. '' if any text is allowed. */
  readonly allowed: string;
  readonly about: string;
  /** Where its values come from. '' if you choose them yourself. */
  readonly from: string;
  /** Where it is sent, such as `the header x-mask`. '' if it is sent in the address under its own name. */
  readonly sentAs: string;
}

/** Describes an operation from its data. */
export function describeOperation(operation: Operation): OperationDescription {
  const { name, title = name, group = '', about = '', rules = [], paging } = operation.spec;
  const { method, path } = routeOf(operation.spec);
  const params = Object.entries(operation.params).map(([param, spec]) => describeParam(operation, param, spec));
  return {
    name,
    title,
    group,
    method,
    path,
    about,
    params,
    rules: rules.map(({ text }) => text),
    lists: listsOf(operation),
    paging: pagingText(paging),
  };
}

function describeParam(operation: Operation, name: string, param: ParamSpec): ParamDescription {
  const { type, required = false, known, about = '', from = '' } = param;
  return { name, type, required, default: param.default, allowed: allowed(), about, from, sentAs: sentAs(operation, name) };

  function allowed(): string {
    if (known !== undefined) return `a text such as ${known.map((value) => `"${value}"`).join(', ')}`;
    const anyText = type === 'string' && param.oneOf === undefined && formOf(param) === undefined;
    return anyText ? '' : rightValue(param);
  }
}

/** A list in an operation's response that can be read as rows. */
export interface ListOf {
  /** The dotted path in `data`. */
  readonly path: string;
  /** Whether rows are read from here by default. */
  readonly default: boolean;
  /** Dotted paths of the documented fields of a row. Empty if rows aren't documented. */
  readonly columns: readonly string[];
}

/** The lists of a response, in documented order. */
export function listsOf(operation: Operation): readonly ListOf[] {
  const { response, rows: list } = operation.spec;
  const paths = pathsOf(response, '');
  const own = list === null || paths.includes(list) ? [] : [list];
  return [...own, ...paths].map((path) => ({
    path,
    default: path === list,
    columns: columnsOf(operation, path).map((column) => column.path),
  }));
}

function pathsOf(shape: Shape, path: string): readonly string[] {
  const outer = kindOfShape(shape);
  const at = outer.kind === 'hint' ? kindOfShape(outer.of) : outer;
  if (at.kind === 'object')
    return fieldsOf(at.object).flatMap((field) => pathsOf(field.shape, path === '' ? field.name : `${path}.${field.name}`));
  const isList = at.kind === 'list' || (at.kind === 'leaf' && leafOf(at.leaf).type === 'array');
  return isList ? [path] : [];
}

function sentAs(operation: Operation, name: string): string {
  const { partsOfName, query, form = [], headers } = planOf(operation);
  const [part] = partsOfName.get(name) ?? [];
  if (part === undefined || part === 'path') return '';
  if (part === 'body') return 'the body';
  const fields = { query, form, headers }[part];
  const wires = fields.filter(({ template }) => slotsOf(template).some((slot) => slot.name === name)).map(({ wire }) => wire);
  if (part === 'headers') return `the header ${wires.join(' and ')}`;
  return part === 'query' && wires.join() === name ? '' : `${wires.join(' and ')} in the ${part === 'query' ? 'address' : 'form'}`;
}

/**
 * The members that every client has besides its operations. No operation may have such a name.
 */
export const clientMembers = ['events$', 'health$', 'stats', 'explain', 'drift', 'close', 'toJSON'] as const;

export type ClientMember = (typeof clientMembers)[number];

/** How to get the next page, in words, for help and reference. Empty if there is none. */
export function pagingText(paging: Paging): string {
  switch (paging.kind) {
    case 'none':
      return '';
    case 'merge':
      return `each member of ${paging.at} is a parameter of the next request`;
    case 'last':
      return `${paging.param} takes ${[paging.from].flat().join(' and ')} of the last row of the page before`;
    case 'cursor': {
      const token = paging.address === true ? 'the address of the next page' : 'the token of the page before';
      const header = paging.link === true ? 'the Link header' : paging.header && `the header ${paging.header}`;
      return `${paging.param} takes ${token}, from ${[...(header ? [header] : []), ...paging.at].join(' or ')}`;
    }
    default: {
      const { param, step, fixed = {}, needs = [] } = paging;
      const grows = step === 'received' ? 'the number of rows received' : `${step} a page`;
      const together = Object.entries(fixed).map(([other, value]) => `, with ${other} ${value}`);
      const needed = needs.length === 0 ? '' : `; pages after the first need ${needs.join(' and ')}`;
      return `${param} grows by ${grows}${together.join('')}${needed}`;
    }
  }
}
