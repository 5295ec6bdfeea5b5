import type { Operation } from '../../../contract/index.ts';
import type { FileSystem } from '../../../files/FileSystem.ts';
import type { StageDefinition } from '../../definition/flowFormat.ts';
import type { Binding } from '../../definition/parseBinding.ts';
import type { StageSplit } from '../StageSplit.ts';

/** A way past the cap of a search, as a stage asks for it. */
export interface SplitKind<Split extends StageSplit = StageSplit> {
  /** The key of the stage that asks for it. */
  readonly key: 'cover' | 'split';
  readonly isAskedFor: (stage: StageDefinition) => boolean;
  /** What is wrong with the stage's definition, besides what `compile` throws. */
  readonly fault?: (stage: StageDefinition, operation: Operation, where: CheckedFolder) => SplitFault | undefined;
  /** Throws a RangeError that says what is wrong with the definition. */
  readonly compile: (stage: StageDefinition, operation: Operation, where: CompiledFolder) => Split;
}

export interface SplitFault {
  readonly message: string;
  /** Where it is, below the key. */
  readonly at?: string | undefined;
}

interface CheckedFolder {
  /** The folder that relative paths start from. */
  readonly folder: string;
  readonly fileSystem: FileSystem;
  /** What is wrong with reading a file that isn't below it. */
  readonly outsideOf: (file: string) => string | undefined;
}

export interface CompiledFolder {
  readonly folder: string;
  readonly fileSystem: FileSystem;
  readonly bind: (text: string) => Binding;
}
