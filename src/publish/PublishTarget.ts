/** A file of a finished folder. */
export interface LocalFile {
  /** As `datapackage.json` names it. */
  readonly name: string;
  /** On the disk. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string | undefined;
}

/** Where a dataset is published: a bucket or a folder. Names are relative, with slashes. */
export interface PublishTarget {
  /** For messages. */
  readonly url: string;
  /** false once `swap` found that the server refuses conditions. It then looks and writes in two steps. */
  readonly knowsConditions: boolean;
  /** A small text and its tag, which changes with it. undefined if there is none. */
  read(name: string): Promise<{ readonly text: string; readonly tag: string } | undefined>;
  /**
   * Writes a small text in one step, over the one with this tag, or where nothing is if there is no tag. Returns false and
   * writes nothing if another text is there. Two writers at once: only one gets true, if `knowsConditions`.
   */
  swap(name: string, text: string, over: string | undefined): Promise<boolean>;
  /** Whether this file is there, and not so old that a rule may be about to remove it. */
  holds(name: string, file: LocalFile): Promise<boolean>;
  /** Writes a file, piece by piece. It is there whole or not at all. false: it arrived damaged. */
  put(name: string, content: AsyncIterable<Uint8Array>, file: LocalFile): Promise<boolean>;
  close(): void;
}
