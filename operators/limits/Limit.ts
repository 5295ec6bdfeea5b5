/** Decides when a stream may start. First come, first served. */
export interface Limit {
  /** Calls `start` when there is room, at once where there is. The function that is returned is called once, when the stream is over or not wanted any more. */
  enter(start: () => void): () => void;
}
