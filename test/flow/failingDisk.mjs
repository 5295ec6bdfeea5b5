// Described in failingDisk.d.mts. A module of JavaScript, because child processes import it, too.
import { basename } from 'node:path';

export function failingDisk(nodeFileSystem, { failAt = Infinity, torn = false, die = () => undefined } = {}) {
  const done = [];
  const point = (name, path, half) => {
    done.push(`${name} ${basename(path).replaceAll(/\d+/g, 'n')}`);
    if (done.length !== failAt) return;
    if (torn) half?.();
    die();
  };
  const around = (target, names, path, halves = {}) =>
    new Proxy(target, {
      get(inner, name) {
        const value = inner[name];
        if (typeof value !== 'function') return value;
        return (...args) => {
          if (names.includes(name)) point(name, path ?? args[0], () => halves[name]?.(...args));
          return value.apply(inner, args);
        };
      },
    });
  const half = (file) => (bytes, offset, length, at) => file.writeSync(bytes, offset, Math.floor(length / 2), at);
  const disk = around(nodeFileSystem, ['makeFolder', 'link', 'rename', 'unlink', 'build', 'syncFolder']);
  const fileSystem = new Proxy(disk, {
    get: (inner, name) =>
      name !== 'open'
        ? inner[name]
        : (path, flags, mode) => {
            if (flags === 'wx') point('open', path);
            const file = nodeFileSystem.open(path, flags, mode);
            return around(file, ['write', 'writeSync', 'datasync', 'truncate'], path, { write: half(file), writeSync: half(file) });
          },
  });
  return { fileSystem, done };
}
