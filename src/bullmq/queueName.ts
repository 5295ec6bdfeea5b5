/** The queue of a flow: `trawler-` and the flow's name. `-` replaces characters that don't suit a Redis name. */
export function queueName(flow: { readonly name: string }): string {
  return `trawler-${flow.name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}`;
}
