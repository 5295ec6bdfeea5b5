/** Decides when a stream may start. First come, first served. */
export interface Limit {
  /** Calls `start` when there is room, at once if there is room now. Returns a function to call once, when the stream ends or is cancelled. */
  enter(start: () => void): () => void;
}
