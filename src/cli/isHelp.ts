/** Whether an argument asks for help. */
export function isHelp(arg: string): boolean {
  return arg === '--help' || arg === '-h';
}
