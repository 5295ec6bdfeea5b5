import type { Fingerprint } from './fingerprint.ts';

/** Where a dataset is published: a bucket or a folder. Names are relative, with slashes. */
export interface PublishTarget {
  /** For messages. */
  readonly url: string;
  /** All names that begin with this. */
  list(under: string): AsyncIterable<string>;
  /** A small text and its tag, which changes with it. undefined if there is none. */
  read(name: string): Promise<TargetText | undefined>;
  /**
   * Writes a small text in one step, over the one with this tag, or where nothing is if there is no tag. Returns false and
   * writes nothing if another text is there. Two writers at once: only one gets true, if `knowsConditions`.
   */
  swap(name: string, text: string, over: string | undefined): Promise<boolean>;
  /** false once `swap` found that the server ignores or refuses conditions. It then looks and writes in two steps. */
  readonly knowsConditions: boolean;
  /** Whether exactly this file is there. */
  holds(name: string, file: Fingerprint): Promise<boolean>;
  /** Writes a file, piece by piece. It is there whole or not at all. */
  put(name: string, content: AsyncIterable<Uint8Array>, file: Fingerprint): Promise<void>;
  /** Removes a file, if it is there. */
  remove(name: string): Promise<void>;
  /** Removes the parts of unfinished uploads whose names begin with this. */
  removeUploads(under: string): Promise<void>;
  close(): void;
}

export interface TargetText {
  readonly text: string;
  readonly tag: string;
}

/** The server refused a file or a part because of its digest, or lost a part of it. To be uploaded again. */
export class DamagedUpload extends Error {}
