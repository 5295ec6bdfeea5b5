/** Arguments of Node with which all imports of a package get another one. */
export function resolveAs(name: string, other: string): readonly string[] {
  const hook = `export const resolve = (name, context, next) => next(name === '${name}' ? '${other}' : name, context);`;
  return ['--import', dataUrl(`import { register } from 'node:module'; register(${JSON.stringify(dataUrl(hook))});`)];
}

const dataUrl = (module: string): string => `data:text/javascript,${encodeURIComponent(module)}`;
