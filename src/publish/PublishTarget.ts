/** A file of a finished folder. */
export interface LocalFile {
  /** The path in `datapackage.json`. */
  readonly name: string;
  /** The path on the disk. */
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
  readonly mediaType: string | undefined;
}

/** Where a dataset is published: a bucket or a folder. Names are relative, with slashes. */
export interface PublishTarget {
  /** For messages. */
  readonly url: string;
  /** Whether the server has conditional writes. If `swap` finds that it hasn't, it reads and writes in two steps. */
  readonly knowsConditions: boolean;
  /** Reads a small text, and its tag, which changes when the text changes. undefined if there is none. */
  read(name: string): Promise<{ readonly text: string; readonly tag: string } | undefined>;
  /**
   * Replaces the text with the tag `over`, or writes a new one if `over` is undefined. Returns false and writes nothing if another text
   * is there. With `knowsConditions` this is one step: of two writers at the same time, only one gets true.
   */
  swap(name: string, text: string, over: string | undefined): Promise<boolean>;
  /** Whether this file is there, and recent enough that no rule of the bucket is about to remove it. */
  holds(name: string, file: LocalFile): Promise<boolean>;
  /** Writes a file, piece by piece. It is there as a whole or not at all. false: it arrived damaged. */
  put(name: string, content: AsyncIterable<Uint8Array>, file: LocalFile): Promise<boolean>;
  close(): void;
}
