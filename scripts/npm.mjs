/**
 * The program and the arguments that start npm, without a shell. On Windows npm is a script that only a shell runs, and a shell
 * takes a path with a space apart. So this runs the file of npm, whose path npm tells its scripts.
 */
export function npm(...args) {
  const { npm_execpath: file } = process.env;
  return file === undefined ? ['npm', args] : [process.execPath, [file, ...args]];
}
