import type { DataOf, Operation, OperationSpec, QueryOf, RowAt, RowOf } from '../../contract/index.ts';
import type { SearchService as DefaultService } from '../../search/index.ts';
import type { MadeFormatName, TextFormatName } from '../../sinks/formats/fileFormats.ts';
import type { Condition, FlowDefinition, ParamInput, StageDefinition } from './flowFormat.ts';

type FanOuts = DefaultService['fanOuts'];
type Operations = DefaultService['operations'];
type OperationName = keyof Operations;
type Call = OperationName | keyof FanOuts;
type OperationOf<C> = C extends keyof FanOuts ? FanOuts[C]['call'] : C extends OperationName ? C : never;
type Fills<C> = C extends keyof FanOuts ? keyof FanOuts[C]['with'] : never;
type SpecOf<C> = Operations[OperationOf<C>] extends Operation<infer S extends OperationSpec> ? S : never;
type QueryFor<C> = QueryOf<SpecOf<C>>;
type RequiredOf<Q> = { [P in keyof Q]-?: undefined extends Q[P] ? never : P }[keyof Q];

/** A stage as written, before any check. */
interface Loose {
  readonly call: Call;
  readonly each?: string | readonly string[];
  readonly with?: { readonly [param: string]: ParamInput | readonly ParamInput[] };
  readonly rows?: string;
  readonly keep?: { readonly [column: string]: ParamInput };
}
type Stages = { readonly [stage: string]: Loose };

/** The rows of a stage: those of its list, plus its kept columns. */
type RowOfStage<S> = S extends { readonly call: infer C }
  ? (S extends { readonly rows: infer R extends string } ? RowAt<DataOf<SpecOf<C>>, R> : RowOf<SpecOf<C>>) &
      (S extends { readonly keep: infer K } ? { readonly [column in keyof K]: unknown } : unknown)
  : never;

type Step<T, Key extends string> = T extends readonly unknown[] ? never : `${Key}` | `${Key}.${FieldIn<T>}` | `${Key}[]${ElementsIn<T>}`;
type FieldIn<T> = T extends readonly unknown[] ? never : T extends object ? keyof T & string : never;
type ElementsIn<T> = T extends readonly (infer E)[] ? '' | (E extends object ? `.${keyof E & string}` : never) : never;
/** Paths of one and two levels in a row, with `[]` after lists. */
type PathIn<Row> = Row extends object
  ? string extends keyof Row
    ? string
    : { [K in keyof Row & string]-?: Step<NonNullable<Row[K]>, K> | ListStep<NonNullable<Row[K]>, K> }[keyof Row & string]
  : never;
type ListStep<T, Key extends string> = T extends readonly unknown[] ? `${Key}[]${ElementsIn<T>}` | Key : never;

type Parents<S> = S extends { readonly each: infer E } ? (E extends readonly (infer One)[] ? One & string : E & string) : never;
/** `$.…` paths into a stage's input rows. Any path for a seed file. Deeper than two levels: checked when the flow is loaded. */
type Reference<All, S> = [Parents<S>] extends [never]
  ? never
  : Parents<S> extends keyof All
    ? Dollar<PathIn<RowOfStage<All[Parents<S>]>>> | `$.${string}.${string}.${string}`
    : `$.${string}`;

type Dollar<P> = P extends string ? `$.${P}` : never;

type ValueOf<All, S, V> = V | Reference<All, S> | TextWith<V> | EnvOf<V>;
type TextWith<V> = V extends string ? `${string}\${${string}}${string}` : never;
type EnvOf<V> = V extends string ? never : `\${env.${string}}`;

type WithOf<All, S, C> = {
  readonly [P in Exclude<RequiredOf<QueryFor<C>>, Fills<C>>]: Values<All, S, QueryFor<C>[P], Given<S, P>>;
} & { readonly [P in keyof QueryFor<C>]?: Values<All, S, QueryFor<C>[P], Given<S, P>> };
/** The value written for a parameter, or each value of a list. */
type Given<S, P> = S extends { readonly with: infer W }
  ? P extends keyof W
    ? W[P] extends readonly (infer E)[]
      ? E
      : W[P]
    : unknown
  : unknown;
/** Most parameters accept any text, so text that begins with `$.` is checked separately. */
type Values<All, S, V, G> = [Extract<G, `$.${string}`>] extends [never]
  ? ValueOf<All, S, NonNullable<V>> | readonly ValueOf<All, S, NonNullable<V>>[]
  : [Extract<G, `$.${string}`>] extends [Reference<All, S>]
    ? ValueOf<All, S, NonNullable<V>> | readonly ValueOf<All, S, NonNullable<V>>[]
    : Reference<All, S> | readonly Reference<All, S>[];
/** A type without values. A misspelt name doesn't compile, and the compiler's message shows it. */
interface NoSuch<Name> {
  readonly noSuch: Name;
}
/** No key but those that are known. (`NoSuch` here would be too deep for the compiler.) */
type Only<Given, Known> = { readonly [P in Exclude<keyof Given, keyof Known>]: never };
type NeedsWith<C> = [Exclude<RequiredOf<QueryFor<C>>, Fills<C>>] extends [never] ? false : true;

/** Paths into a stage's own rows. Any path where they aren't documented; deeper than two levels: checked when the flow is loaded. */
type OwnField<S> = S extends { readonly call: infer C }
  ? [Call] extends [C] // some stage: the compiler would work out all rows there are
    ? string
    : OwnPath<PathIn<RowOfStage<S>>>
  : never;
type OwnPath<P> = [P] extends [never] ? string : P | `${string}.${string}.${string}`;
type WhereOf<S> = S extends { readonly where: infer W }
  ? { readonly [F in OwnField<S>]?: Condition } & Only<W, Record<OwnField<S>, unknown>> & { readonly [F in keyof W]: Compared<W[F]> }
  : StageDefinition['where'];
type Compared<C> = C extends string | number | boolean | null | readonly unknown[] ? unknown : Only<C, Comparisons>;
type Comparisons = Exclude<Condition, string | number | boolean | null | readonly unknown[]>;
type PickOf<S> = S extends { readonly pick: unknown } ? readonly OwnField<S>[] : StageDefinition['pick'];
type ByOf<S> = S extends { readonly by: infer B } ? (B extends string ? FieldOf<S, B> : readonly OwnField<S>[]) : StageDefinition['by'];
type FieldOf<S, B> = B extends OwnField<S> ? B : NoSuch<B>;
type TextEnding = TextFormatName | 'ndjson';
type Ending = `${TextEnding}${'' | '.gz' | '.zst'}` | MadeFormatName;
/** A literal name needs a known ending. */
type FileName<T> = string extends T ? string : T extends `${string}.${Ending}` ? T : NoSuch<T>;
type To<S> = S extends { readonly to: infer T } ? (T extends readonly (infer E)[] ? readonly FileName<E>[] : FileName<T>) : never;

type StageOf<All, S extends Loose> = Omit<StageDefinition, 'call' | 'each' | 'with' | 'keep' | 'where' | 'pick' | 'by' | 'to'> & {
  readonly [P in Exclude<keyof S, keyof StageDefinition>]: NoSuch<P>;
} & {
  readonly call: Call;
  readonly where?: WhereOf<S>;
  readonly pick?: PickOf<S>;
  readonly by?: ByOf<S>;
  readonly to?: To<S>;
  readonly each?: Source<All> | readonly (keyof All & string)[];
  readonly keep?: { readonly [column: string]: number | boolean | KeepText<All, S> };
} & (NeedsWith<S['call']> extends true
    ? { readonly with: WithOf<All, S, S['call']> & Only<S['with'], QueryFor<S['call']>> }
    : { readonly with?: WithOf<All, S, S['call']> & Only<S['with'], QueryFor<S['call']>> });
type Source<All> = (keyof All & string) | '-' | `${string}.${TextEnding}`;
/** An existing `$.field`, or text that isn't a field. */
type KeepText<All, S> = S extends { readonly keep: infer K }
  ? { [C in keyof K]: K[C] extends `$.${string}` ? Reference<All, S> : string }[keyof K]
  : string;

/**
 * Defines a flow that the compiler checks: the keys of stages, operations, their parameters and values, the stages named in
 * `each`, the fields that `$.…`, `where`, `pick` and `by` name, and the endings of files. Everything else is checked when the flow is loaded, planned or run.
 *
 * ```ts
 * export default defineFlow({
 *   name: 'coffee',
 *   stages: {
 *     places: { call: 'mapsSearch', with: { query: 'coffee', ll: '@40.74,-73.98,14z' }, to: 'places.csv' },
 *     reviews: { call: 'mapsReviews', each: 'places', with: { data_id: '$.data_id' }, pages: 'all', to: 'reviews.jsonl' },
 *   },
 * });
 * ```
 */
export function defineFlow<const All extends Stages>(
  flow: Omit<FlowDefinition, 'stages'> & { readonly stages: All & { readonly [S in keyof All]: StageOf<All, All[S]> } },
): FlowDefinition {
  return flow;
}
