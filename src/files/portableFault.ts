const device = /^(con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³])(\.|$)/i;

/** Why a file or a folder can't have this name on every system, as the end of a sentence. undefined if it can. */
export function portableFault(name: string): string | undefined {
  if (device.test(name)) return `'${name.split('.')[0]}' is a device on Windows`;
  if (/[. ]$/.test(name) && name !== '.' && name !== '..') return 'Windows drops a dot or a blank at the end of a name';
  const wrong = Array.from(name).find((char) => char < ' ' || '<>:"|?*'.includes(char));
  return wrong === undefined ? undefined : `no name has ${JSON.stringify(wrong)} on Windows`;
}
