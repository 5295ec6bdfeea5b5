/** The queue of a flow: `trawler-` and the flow's name, with `-` for what a name in Redis is better without. */
export function queueName(flow: { readonly name: string }): string {
  return `trawler-${flow.name.replace(/[^\p{L}\p{N}._-]+/gu, '-')}`;
}
