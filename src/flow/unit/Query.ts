/** A query in the making: parameters to values. */
export interface Query {
  readonly [param: string]: string | number | boolean;
}
