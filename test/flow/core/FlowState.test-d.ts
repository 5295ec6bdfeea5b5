import { expectTypeOf, it } from 'vitest';
import type { FlowView } from '../../../src/flow/core/FlowState.ts';

it('is read by decisions through a view without writers', () => {
  type Writers = 'evolve' | 'retry' | 'carry' | 'add' | 'set' | 'delete' | 'addKey' | 'addQuery' | 'addIds' | 'take' | 'start' | 'pass';
  type Parts = FlowView[keyof FlowView];
  expectTypeOf<Extract<keyof FlowView, Writers>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof FlowView['queries'], Writers>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof FlowView['queries']['open'], Writers>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof FlowView['seen'], Writers>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof FlowView['covers'], Writers>>().toEqualTypeOf<never>();
  expectTypeOf<Extract<keyof FlowView['watermarks'], Writers>>().toEqualTypeOf<never>();
  expectTypeOf<Parts>().not.toBeNever();
});
