import type { Observable } from 'rxjs';
import type { PageFactory } from '../../operators/PageFactory.ts';
import type { PageRequest } from '../../operators/PageLike.ts';
import type { Paging } from '../../operators/walk/paging/pagingKinds.ts';
import type { Page } from './Page.ts';
import type { TypeOf, DataOf, Operation, OperationSpec, QueryOf, RowAt, RowOf } from '../contract/index.ts';

/** The page of an operation, with its default list as rows. */
export type PageOf<S extends OperationSpec> = Page<S['name'], QueryOf<S>, DataOf<S>, RowOf<S>>;

interface RowsCall<Name extends string, Query extends object, Data> {
  /** The same with another list of the response as rows. */
  <const R extends string>(query: Query, request: PageRequest & { readonly rows: R }): Observable<Page<Name, Query, Data, RowAt<Data, R>>>;
}

type VariantCalls<S extends OperationSpec, Name extends string> = S extends {
  readonly variants: { readonly param: infer P extends string; readonly values: infer V };
}
  ? RowsCall<Name, QueryOf<S>, DataOf<S>> &
      UnionToIntersection<{ [K in keyof V & string]: VariantCall<S, Name, P, K, V[K]> }[keyof V & string]>
  : unknown;
type VariantCall<S extends OperationSpec, Name extends string, P extends string, K extends string, V> = V extends {
  readonly response: infer A;
  readonly list: infer L extends string | null;
}
  ? (
      query: QueryOf<S> & { readonly [param in P]: K extends '*' ? string : K },
      request?: PageRequest,
    ) => Observable<Page<Name, QueryOf<S>, TypeOf<A>, RowAt<TypeOf<A>, L>>>
  : never;
type UnionToIntersection<U> = (U extends unknown ? (value: U) => void : never) extends (value: infer I) => void ? I : never;

/**
 * An operation as an Observable factory. Called with a query, it returns an Observable of ONE page. Nothing is
 * requested until you subscribe. Each subscription is one request. Unsubscribing cancels it.
 */
export interface OperationFactory<Name extends string, Query extends object, Data, Row, Pages extends Paging>
  extends RowsCall<Name, Query, Data>, PageFactory<Query, Page<Name, Query, Data, Row>, Pages> {
  readonly name: Name;
  readonly list: string | null;
  /** The operation's data: parameters, rules, the shape of its response. */
  readonly operation: Operation;
  /** The same, as its description has it. */
  readonly spec: OperationSpec;
}

/** The factory of a description. Its type has what goes in and comes out, because an editor shows that, and not the description. */
export type Factory<S extends OperationSpec = OperationSpec, Name extends string = S['name']> = VariantCalls<S, Name> &
  OperationFactory<Name, QueryOf<S>, DataOf<S>, RowOf<S>, Extract<Paging, { readonly kind: S['paging']['kind'] }>>;
