import type { Observer } from 'rxjs';
import type { DemandNode } from '../../../operators/demand/DemandNode.ts';
import type { ResponsePage } from '../response/ResponsePage.ts';
import type { OperationPlan } from '../OperationPlan.ts';
import type { SpanRequest } from '../spans/SpanReader.ts';

/** The purpose of a call. */
export interface CallRequest extends SpanRequest {
  readonly plan: OperationPlan;
  /** Its label, such as the stage of a flow. */
  readonly label: string | undefined;
  /** The query with that label that it belongs to. */
  readonly walk?: number | undefined;
  /** The node where the call was made. */
  readonly node: DemandNode | undefined;
  /** The path of a job that was started for it. */
  readonly job?: string | undefined;
  /** It takes no response from before: a stored one is replaced. */
  readonly renews?: boolean | undefined;
  /** The ids of the batch that its walk belongs to. */
  readonly batch?: readonly string[] | undefined;
  readonly subscriber: Observer<ResponsePage>;
}
