/** A word of a command line, quoted where a shell needs it: as cmd and PowerShell both take it on Windows. */
export function shellWord(word: string, platform: string = process.platform): string {
  if (platform === 'win32') return /^[\w@+=:,./\\-]+$/.test(word) ? word : `"${word.replaceAll('"', '\\"')}"`;
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
