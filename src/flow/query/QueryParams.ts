/** The parameters of a query, by name. */
export interface QueryParams {
  readonly [param: string]: string | number | boolean;
}
