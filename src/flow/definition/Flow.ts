import type { WalkFactory } from '../../../operators/walk/WalkFactory.ts';
import type { WalkOptions } from '../../../operators/walk/WalkOptions.ts';
import type { FanOutSpec, Operation, Service } from '../../contract/index.ts';
import type { StageSplit } from '../split/StageSplit.ts';
import type { Binding, FieldPath } from './Binding.ts';
import type { Condition, Expectations, FlowDefinition, StageDefinition } from './flowFormat.ts';

/** A flow that was checked: ready to be planned and run. */
export interface Flow {
  readonly name: string;
  readonly service: Service;
  readonly definition: FlowDefinition;
  /** Of the definition in its normal form, environment references resolved. */
  readonly digest: string;
  /** What relative paths of seeds start from. */
  readonly folder: string;
  /** Parents before their children. */
  readonly stages: readonly FlowStage[];
  readonly byName: ReadonlyMap<string, FlowStage>;
  readonly maxRequests: number;
  readonly failAbove: number;
}

export interface FlowStage {
  readonly name: string;
  readonly definition: StageDefinition;
  readonly operation: Operation;
  /** The ready fan-out that it calls, without the parameters that the stage gives itself. */
  readonly fanOut: FanOutSpec | undefined;
  /** The operation as the walk sees it. */
  readonly factory: WalkFactory;
  readonly walk: WalkOptions;
  /** The longest way from a root; 0 for a root. */
  readonly depth: number;
  /** Stages whose rows it runs over. */
  readonly parents: readonly string[];
  /** Stages that run over its rows. */
  readonly children: readonly string[];
  /** The seed file it runs over: an absolute path, or `-`. */
  readonly seeds: string | undefined;
  /** What the stage itself gives. */
  readonly with: readonly (readonly [param: string, values: readonly Binding[]])[];
  /** Parameters without which there is no query. */
  readonly needs: ReadonlySet<string>;
  readonly keep: readonly (readonly [column: string, value: Binding])[];
  readonly limit: number;
  readonly rows: string | undefined;
  readonly where: readonly FieldTest[];
  /** What is written, kept columns included. Empty: all. */
  readonly pick: readonly FieldPath[];
  readonly by: readonly FieldPath[];
  readonly outputs: readonly string[];
  /** The fields of a row that have to be read where nothing else of it is; undefined where the whole row is needed. */
  readonly reads: readonly string[] | undefined;
  readonly onError: 'aside' | 'stop';
  /** How it goes past the cap of a search. */
  readonly split: StageSplit | undefined;
  /** Says of a row that the stage runs over how many rows its queries have. */
  readonly claims: FieldPath | undefined;
  readonly tolerance: { readonly share: number; readonly rows: number };
  /** What tells rows apart, where a walk may have to be done again; undefined where no end can be too early. */
  readonly identity: { readonly id: FieldPath | undefined } | undefined;
  /** The parameter that orders the rows, and its values. */
  readonly orders: { readonly param: string; readonly values: readonly string[] } | undefined;
  /** How an update finds what is new; undefined: the stage is asked again in full. */
  readonly since: Since | undefined;
  /** What tells a row from others when runs are compared; empty: nothing does. */
  readonly key: readonly FieldPath[];
  /** Fields that change by themselves, so that a row isn't another one for them. */
  readonly volatile: ReadonlySet<string>;
  readonly gone: 'keep' | 'drop';
  readonly seen: boolean;
  readonly expect: Expectations | undefined;
  /** Of which fields it is counted how often they hold something. */
  readonly filled: readonly FieldPath[];
}

export interface Since {
  readonly field: FieldPath;
  readonly lookbackMs: number;
  readonly unless: FieldPath | undefined;
  /** The parameter that orders the rows, which isn't part of what makes a query that query. */
  readonly order: string | undefined;
}

/** A field, and what its value must be. */
export type FieldTest = readonly [field: FieldPath, condition: Condition];
