/** A type without values: the operation has no such parameter. The compiler's message shows the name. */
export interface NoSuchParameter<Name> {
  readonly noSuchParameter: Name;
}

type KeysOf<T> = T extends unknown ? keyof T : never;
/** What isn't a parameter. An operation without a description may have any. */
type Unknown<Query, Given> = [KeysOf<Query>] extends [never] ? never : Exclude<KeysOf<Given>, KeysOf<Query>>;

/** The queries that a walk is given, if each of their fields is a parameter of the operation. */
export type QueriesFor<Query, Given> = Given & { readonly [Name in Unknown<Query, Given>]?: NoSuchParameter<Name> };
