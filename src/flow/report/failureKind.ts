/**
 * What failures have in common whose messages differ only in the query, in ids and in figures: the message without them, and
 * without the operation in front. Failures are grouped by it.
 */
export function failureKind(message: string): string {
  return message
    .replaceAll(/ ?\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}/g, '')
    .replace(/^\w+: /, '')
    .replaceAll(/\b(?=[\w-]*\d)(?=[\w-]*[a-f-])[\w-]{12,}\b/g, '…')
    .replaceAll(/\d{4,}/g, '…')
    .slice(0, 300);
}
