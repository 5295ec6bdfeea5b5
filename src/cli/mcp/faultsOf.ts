import type { Service } from '../../contract/index.ts';
import { checkFlow, type FlowDefinition } from '../../flow/index.ts';

/** Keys that a flow of an agent can't have: it would read what isn't its own. */
export const withheld: readonly string[] = ['service', 'env'];

/** The faults of an agent's flow, a line each. Sends nothing. */
export function faultsOf(definition: object, service: Service): readonly string[] {
  const found = checkFlow(definition, { folder: nowhere, service, env: {} });
  return [...withheldFrom(definition), ...found.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))];
}

/** No file of seeds is here. */
const nowhere = '/nowhere';

function withheldFrom(definition: object): readonly string[] {
  const { stages } = definition as Partial<FlowDefinition>;
  const own = withheld.filter((key) => Object.hasOwn(definition, key)).map((key) => `${key}: a flow of an agent can't have it`);
  if (typeof stages !== 'object' || stages === null) return own;
  const inStages = Object.entries(stages).flatMap(([name, stage]) => {
    const { each, to } = (stage ?? {}) as { readonly each?: unknown; readonly to?: unknown };
    return [
      ...(listed(each).includes('-') ? [`stages.${name}.each: there is no standard input here`] : []),
      ...(listed(to).some(isTable) ? [`stages.${name}.to: a flow of an agent writes files only`] : []),
    ];
  });
  return [...own, ...inStages];
}

function listed(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

/** Whether a stage writes to a table of a database. */
function isTable(to: unknown): boolean {
  const file = typeof to === 'object' && to !== null && 'file' in to ? to.file : to;
  return typeof file === 'string' && /^[\w-]+:/.test(file);
}
