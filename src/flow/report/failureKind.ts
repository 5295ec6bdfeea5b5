/** Groups failures: the message without query, ids, figures and the operation in front. Failures of one kind share it. */
export function failureKind(message: string): string {
  return message
    .replaceAll(/ ?\{(?:[^{}"]|"(?:[^"\\]|\\.)*"|\{[^{}]*\})*\}/g, '')
    .replace(/^\w+: /, '')
    .replaceAll(/\b(?=[\w-]*\d)(?=[\w-]*[a-f-])[\w-]{12,}\b/g, '…')
    .replaceAll(/\d{4,}/g, '…')
    .slice(0, 300);
}
