/** Who spends: what TRAWLER_WHO says, else the user and the machine. */
export function ownName(): string {
  const given = process.env['TRAWLER_WHO'];
  if (given) return given;
  const { hostname, userInfo } = process.getBuiltinModule('node:os');
  try {
    return `${userInfo().username}@${hostname()}`;
  } catch {
    return hostname(); // the user of a container may have no name
  }
}
