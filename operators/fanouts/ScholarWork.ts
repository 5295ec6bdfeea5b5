/** What the fan-outs of scholarly works read of a result. */
export interface ScholarWork {
  readonly title: string;
  readonly id?: string | null | undefined;
  readonly inline_links?:
    | {
        readonly versions?: { readonly cluster_id?: string | null | undefined } | null | undefined;
        readonly cited_by?:
          | { readonly total?: number | string | null | undefined; readonly link?: string | null | undefined }
          | null
          | undefined;
      }
    | null
    | undefined;
}

/** The id at `param` in a link of the service. */
export function idInLink(link: string | null | undefined, param: string): string | undefined {
  const query = link?.split('?', 2)[1];
  return (query && new URLSearchParams(query).get(param)) || undefined;
}
