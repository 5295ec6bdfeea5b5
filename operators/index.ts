export { expandCursor, type ExpandCursorOptions } from './expandCursor.ts';
export { offsetPages, type OffsetPagesOptions } from './offsetPages.ts';
export { items, type ItemsOptions } from './items.ts';
export type { Keep, Kept } from './keepColumns.ts';
export { splitWhenFull, type SplitWhenFullOptions } from './splitWhenFull.ts';
export { coverArea, type CoverAreaOptions } from './coverArea.ts';
export { dates, type DatesOptions } from './dates.ts';
export { dayAfter } from './kit/calendar.ts';
export { gridPoints, type GridPoint, type GridPointsOptions } from './gridPoints.ts';
export { byDates, byRange, byValues, byYear, type ByDatesOptions, type ByRangeOptions, type ByYearOptions } from './split/byRange.ts';
export type { Split, Walked, SplitSummary } from './split/Split.ts';
export type { BoxWithin, CircleWithin, GeoJsonWithin, Position, Within } from './split/Area.ts';
export { fanOut, type FanOut, type FanOutOptions, type ChildPage, type Failure } from './fanOut.ts';
export { type Key, distinctBy, type DistinctByOptions } from './distinctBy.ts';

export { limitConcurrency, createConcurrencyLimit } from './limits/limitConcurrency.ts';
export { limitRate, createRateLimit, type RateLimitOptions } from './limits/limitRate.ts';
export type { Limit } from './limits/underLimit.ts';
export { backoff, type BackoffOptions } from './limits/backoff.ts';
export { iterate, type IterateOptions, type Iteration } from './iterate.ts';

export { untilMatch, type MatchEnd, type UntilMatchOptions } from './untilMatch.ts';
export type { Comparisons, Condition, RowConditions } from './rowConditions.ts';
export { mergeBounded, type MergeBoundedOptions } from './mergeBounded.ts';
export { named } from './named.ts';
export { shareHeld } from './shareHeld.ts';
export { defineOperator, type OperatorSettings } from './kit/defineOperator.ts';
export type { Handlers, Outlet, PumpedWork } from './kit/Outlet.ts';
export { DemandNode, type Waiting } from './demand/DemandNode.ts';
export { currentDemand, withDemand } from './demand/demandScope.ts';

export { checkWalkOptions, type WalkOptions } from './walk/WalkOptions.ts';
export { moveWalk, startWalk, type WalkMove, type WalkState, type Shortness, type WalkFault, type WalkStep } from './walk/Walk.ts';
export { stepWalk } from './walk/stepWalk.ts';
export type { Recheck, RecheckReason } from './walk/Recheck.ts';
export type { WalkedOperation } from './walk/WalkedOperation.ts';

export type { CursorPaging } from './walk/paging/cursorPaging.ts';
export type { LastPaging } from './walk/paging/lastPaging.ts';
export type { MergePaging } from './walk/paging/mergePaging.ts';
export type { OffsetPaging } from './walk/paging/offsetPaging.ts';
export type { CountedPaging, Paging, SinglePage, TokenPaging } from './walk/paging/pagingKinds.ts';
export type { PageFactory } from './PageFactory.ts';
export type { PageLike, PageRequest, WalkEvent } from './PageLike.ts';
export type { Splits } from './split/Splits.ts';
export type { TimeForm } from './kit/writeTime.ts';
export { originOf, setOrigin, type OriginColumn, type RowOrigin } from './rowOrigin.ts';
export type { PageWithRows, RowIn, ValueAt } from './RowAt.ts';
