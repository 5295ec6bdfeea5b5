import type { DataOf, Operation, OperationSpec, QueryOf, RowAt, RowOf, Service } from '../../contract/index.ts';
import type { AssembledFormatName, TextFormatName } from '../../sinks/formats/fileFormats.ts';
import type { DefaultService } from '../../defaultService.ts';
import type { Condition, Comparisons } from '../../../operators/rowConditions.ts';
import type { Near } from '../../../operators/PageFactory.ts';
import type { FlowDefinition, OutputDefinition, ParamInput, StageDefinition } from './flowFormat.ts';

// V is the service of the flow, All are its stages, S is one of them, and C what it calls.
type Call<V extends Service> = keyof V['operations'] | keyof V['fanOuts'];
type OperationOf<V extends Service, C> = C extends keyof V['fanOuts'] ? V['fanOuts'][C]['call'] : C;
type Fills<V extends Service, C> = C extends keyof V['fanOuts'] ? keyof V['fanOuts'][C]['with'] : never;
type SpecOf<V extends Service, C> =
  OperationOf<V, C> extends infer Name extends keyof V['operations']
    ? V['operations'][Name] extends Operation<infer S extends OperationSpec>
      ? S
      : never
    : never;
type QueryFor<V extends Service, C> = QueryOf<SpecOf<V, C>>;
type RequiredOf<Q> = { [P in keyof Q]-?: undefined extends Q[P] ? never : P }[keyof Q];

/** A stage as written, before any check. */
interface Loose<V extends Service> {
  readonly call: Call<V>;
  readonly each?: string | readonly string[];
  readonly with?: { readonly [param: string]: ParamInput | readonly ParamInput[] | DaysOf<string> };
  readonly rows?: string;
  readonly keep?: { readonly [column: string]: ParamInput };
}
type Stages<V extends Service> = { readonly [stage: string]: Loose<V> };

/** The rows of a stage: those of its list, plus its kept columns. */
type RowOfStage<V extends Service, S> = S extends { readonly call: infer C }
  ? (S extends { readonly rows: infer R extends string } ? RowAt<DataOf<SpecOf<V, C>>, R> : RowOf<SpecOf<V, C>>) &
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
type Reference<V extends Service, All, S> = [Parents<S>] extends [never]
  ? never
  : Parents<S> extends keyof All
    ? Dollar<PathIn<RowOfStage<V, All[Parents<S>]>>> | `$.${string}.${string}.${string}`
    : `$.${string}`;

type Dollar<P> = P extends string ? `$.${P}` : never;

type ValueOf<V extends Service, All, S, T> = T | Reference<V, All, S> | TextWith<T> | EnvOf<T>;
type TextWith<T> = T extends string ? `${string}\${${string}}${string}` : never;
type EnvOf<T> = T extends string ? never : `\${${'env.' | 'now' | 'today'}${string}}`;

type WithOf<V extends Service, All, S, C> = {
  readonly [P in Exclude<RequiredOf<QueryFor<V, C>>, Fills<V, C>>]: Values<V, All, S, QueryFor<V, C>[P], Given<S, P>>;
} & { readonly [P in keyof QueryFor<V, C>]?: Values<V, All, S, QueryFor<V, C>[P], Given<S, P>> };
/** The value written for a parameter, or each value of a list. */
type Given<S, P> = S extends { readonly with: infer W }
  ? P extends keyof W
    ? W[P] extends readonly (infer E)[]
      ? E
      : W[P]
    : unknown
  : unknown;
/** The days of a calendar, or a day after another parameter's, where a text is taken. */
type DaysOf<T> = string extends T
  ? { readonly days: string; readonly every?: string } | { readonly after: string; readonly days: number }
  : never;
/** Most parameters accept any text, so text that begins with `$.` is checked separately. */
type Values<V extends Service, All, S, T, G> = [Extract<G, `$.${string}`>] extends [never]
  ? ValueOf<V, All, S, NonNullable<T>> | readonly ValueOf<V, All, S, NonNullable<T>>[] | DaysOf<NonNullable<T>>
  : [Extract<G, `$.${string}`>] extends [Reference<V, All, S>]
    ? ValueOf<V, All, S, NonNullable<T>> | readonly ValueOf<V, All, S, NonNullable<T>>[]
    : Reference<V, All, S> | readonly Reference<V, All, S>[];
/** A type without values. A misspelt name doesn't compile, and the compiler's message shows it, and those that begin with its letter. */
interface NoSuch<Name, DidYouMean = unknown> {
  readonly noSuch: Name;
  readonly didYouMean: DidYouMean;
}
/** No key but those that are known. */
type Only<Given, Known> = { readonly [P in Exclude<keyof Given, keyof Known>]: NoSuch<P, Near<P, keyof Known>> };
type NeedsWith<V extends Service, C> = [Exclude<RequiredOf<QueryFor<V, C>>, Fills<V, C>>] extends [never] ? false : true;

/** Paths into a stage's own rows. Any path where they aren't documented; deeper than two levels: checked when the flow is loaded. */
type OwnField<V extends Service, S> = S extends { readonly call: infer C }
  ? [Call<V>] extends [C] // some stage: the compiler would work out all rows there are
    ? string
    : OwnPath<PathIn<RowOfStage<V, S>>>
  : never;
type OwnPath<P> = [P] extends [never] ? string : P | `${string}.${string}.${string}`;
type ConditionsOf<V extends Service, S, K extends 'where' | 'until'> = S extends { readonly [key in K]: infer W }
  ? { readonly [F in OwnField<V, S>]?: Condition } & Only<W, Record<OwnField<V, S>, unknown>> & { readonly [F in keyof W]: Compared<W[F]> }
  : StageDefinition[K];
type Compared<C> = C extends string | number | boolean | null | readonly unknown[] ? unknown : Only<C, Comparisons>;
type PickOf<V extends Service, S> = S extends { readonly pick: unknown }
  ? readonly (OwnField<V, S> | `!${OwnField<V, S>}`)[]
  : StageDefinition['pick'];
type ByOf<V extends Service, S> = S extends { readonly by: infer B }
  ? B extends string
    ? FieldOf<V, S, B>
    : readonly OwnField<V, S>[]
  : StageDefinition['by'];
type FieldOf<V extends Service, S, B> = B extends OwnField<V, S> ? B : NoSuch<B>;
type TextEnding = TextFormatName | 'ndjson';
type Ending = `${TextEnding}${'' | '.gz' | '.zst'}` | AssembledFormatName;
/** A literal name needs a known ending, or is a destination. */
type FileName<T> = string extends T ? string : T extends `${string}.${Ending}` | `${string}:${string}` ? T : NoSuch<T>;
type Output<T> = T extends { readonly file: infer F }
  ? { readonly file: FileName<F> } & Omit<OutputDefinition, 'file'> & Only<T, OutputDefinition>
  : FileName<T>;
type To<S> = S extends { readonly to: infer T } ? (T extends readonly (infer E)[] ? readonly Output<E>[] : Output<T>) : never;

type StageOf<V extends Service, All, S extends Loose<V>> = Omit<
  StageDefinition,
  'call' | 'each' | 'with' | 'keep' | 'where' | 'until' | 'pick' | 'by' | 'to'
> & {
  readonly [P in Exclude<keyof S, keyof StageDefinition>]: NoSuch<P, Near<P, keyof StageDefinition>>;
} & {
  readonly call: Call<V>;
  readonly where?: ConditionsOf<V, S, 'where'>;
  readonly until?: ConditionsOf<V, S, 'until'>;
  readonly pick?: PickOf<V, S>;
  readonly by?: ByOf<V, S>;
  readonly to?: To<S>;
  readonly each?: Source<All> | readonly (keyof All & string)[];
  readonly keep?: { readonly [column: string]: number | boolean | KeepText<V, All, S> };
} & (NeedsWith<V, S['call']> extends true
    ? { readonly with: WithOf<V, All, S, S['call']> & Only<S['with'], QueryFor<V, S['call']>> }
    : { readonly with?: WithOf<V, All, S, S['call']> & Only<S['with'], QueryFor<V, S['call']>> });
type Source<All> = (keyof All & string) | '-' | `${string}.${TextEnding}`;
/** An existing `$.field`, or text that isn't a field. */
type KeepText<V extends Service, All, S> = S extends { readonly keep: infer K }
  ? { [C in keyof K]: K[C] extends `$.${string}` ? Reference<V, All, S> : string }[keyof K]
  : string;

/**
 * Defines a flow that the compiler checks: the keys of stages, operations, their parameters and values, the stages named in
 * `each`, the fields that `$.…`, `where`, `until`, `pick` and `by` name, and the endings of files. Everything else is checked when the
 * flow is loaded, planned or run. With `service`, a service of your own, it knows the operations and rows of that one.
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
export function defineFlow<const All extends Stages<V>, V extends Service = DefaultService>(
  flow: Omit<FlowDefinition, 'stages' | 'service'> & {
    readonly service?: V | string | undefined;
    readonly stages: All & { readonly [S in keyof All]: StageOf<V, All, All[S]> };
  },
): FlowDefinition;
export function defineFlow(flow: object): FlowDefinition {
  return flow as FlowDefinition;
}
