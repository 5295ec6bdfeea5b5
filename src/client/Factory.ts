import type { Observable } from 'rxjs';
import type { PageFactory } from '../../operators/PageFactory.ts';
import type { PageRequest } from '../../operators/PageLike.ts';
import type { TypeOf } from '../contract/Shape.ts';
import type { DataOf, Operation, OperationSpec, QueryOf, RowAt, RowOf } from '../contract/Operation.ts';
import type { Page } from './Page.ts';

/** The page of an operation, with its default list as rows. */
export type PageOf<S extends OperationSpec> = Page<S['name'], QueryOf<S>, DataOf<S>, RowOf<S>>;

type VariantCalls<S extends OperationSpec> = S extends {
  readonly variants: { readonly param: infer P extends string; readonly values: infer V };
}
  ? UnionToIntersection<{ [K in keyof V & string]: VariantCall<S, P, K, V[K]> }[keyof V & string]>
  : unknown;
type VariantCall<S extends OperationSpec, P extends string, K extends string, V> = V extends {
  readonly response: infer A;
  readonly list: infer L extends string | null;
}
  ? (
      query: QueryOf<S> & { readonly [param in P]: K extends '*' ? string : K },
      request?: PageRequest,
    ) => Observable<Page<S['name'], QueryOf<S>, TypeOf<A>, RowAt<TypeOf<A>, L>>>
  : never;
type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/**
 * An operation as an Observable factory. Called with a query, it returns an Observable of ONE page. Nothing is
 * requested until you subscribe. Each subscription is one request. Unsubscribing cancels it.
 */
export type Factory<S extends OperationSpec = OperationSpec> = {
  /** The same with another list of the response as rows. */
  <const R extends string>(
    query: QueryOf<S>,
    request: PageRequest & { readonly rows: R },
  ): Observable<Page<S['name'], QueryOf<S>, DataOf<S>, RowAt<DataOf<S>, R>>>;
} & VariantCalls<S> &
  PageFactory<QueryOf<S>, PageOf<S>, S['paging']> & {
    readonly name: S['name'];
    readonly list: S['list'];
    /** The operation's data: parameters, rules, the shape of its response. */
    readonly operation: Operation<S>;
    /** The same, as its description has it. */
    readonly spec: S;
  };
