import { dirname, join, relative } from 'node:path';
import { FlowError } from '../../errors/index.ts';
import { nodeFileSystem, takeLock, type FileSystem } from '../../sinks/index.ts';
import { sinkFault } from '../../sinks/sinkFault.ts';

export const failuresFile = 'failures.jsonl';
export const manifestFile = 'manifest.json';
export const reportFile = 'report.html';

/** A flow's output folder, locked: no other run can be in it. */
export class FlowFolder {
  readonly path: string;
  readonly fileSystem: FileSystem;
  readonly journal: string;
  #release: (() => void) | undefined;

  /** Makes the folder where it isn't there. Throws a SinkError that names the process that runs in it. */
  constructor(path: string, fileSystem: FileSystem = nodeFileSystem) {
    this.path = path;
    this.fileSystem = fileSystem;
    const own = join(path, '.trawler');
    this.journal = join(own, 'journal.jsonl');
    try {
      fileSystem.makeFolder(own);
    } catch (error) {
      throw sinkFault(path, 'making the folder', error);
    }
    this.#release = takeLock(join(own, 'run.lock'), fileSystem);
  }

  at(file: string): string {
    return join(this.path, file);
  }

  has(file: string): boolean {
    return this.fileSystem.stat(this.at(file)) !== undefined;
  }

  /** Makes the names of new files in the folder safe. */
  async sync(): Promise<void> {
    await this.fileSystem.syncFolder(dirname(this.journal));
    await this.fileSystem.syncFolder(this.path);
    await this.fileSystem.syncFolder(dirname(this.path));
  }

  /** Moves what an earlier run left into a numbered folder, the journal first; gives its name, undefined when nothing was there. */
  async moveAside(files: readonly string[]): Promise<string | undefined> {
    const names = new Set([relative(this.path, this.journal), ...files.flatMap((file) => [file, `${file}.part`])]);
    const old = [...names].filter((file) => this.has(file));
    if (old.length === 0) return undefined;
    let number = 1;
    while (this.has(`old-${number}`)) number += 1;
    const folder = `old-${number}`;
    for (const file of old) {
      this.fileSystem.makeFolder(dirname(this.at(join(folder, file))));
      this.fileSystem.rename(this.at(file), this.at(join(folder, file)));
    }
    await this.sync();
    return folder;
  }

  /** Writes a small file in one step, in place of the one that is there. */
  async replace(file: string, text: string): Promise<void> {
    const draft = this.at(`${file}.new`);
    if (this.has(`${file}.new`)) this.fileSystem.unlink(draft);
    const open = this.fileSystem.open(draft, 'wx', 0o600);
    try {
      const bytes = Buffer.from(text);
      for (let at = 0; at < bytes.length;) at += await open.write(bytes, at, bytes.length - at, at);
      await open.datasync();
    } finally {
      open.close();
    }
    this.fileSystem.rename(draft, this.at(file));
    await this.fileSystem.syncFolder(this.path);
  }

  /** Refuses files that no journal accounts for. */
  refuse(files: readonly string[]): void {
    const there = files.flatMap((file) => [file, `${file}.part`]).filter((file) => this.has(file));
    if (there.length === 0) return;
    throw new FlowError(
      `${this.path} has ${there.join(', ')} already, and no journal that says where they come from. Choose another folder, or start afresh, which moves them aside`,
    );
  }

  close(): void {
    this.#release?.();
    this.#release = undefined;
  }
}
