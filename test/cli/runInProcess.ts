import { Readable } from 'node:stream';
import type { Output } from '../../src/cli/Command.ts';
import { runCommand } from '../../src/cli/runCommand.ts';

export interface InProcessOptions {
  readonly env?: { readonly [name: string]: string };
  readonly signal?: AbortSignal;
  /** It is stopped, as by Ctrl-C, once stderr says this. */
  readonly until?: string;
  readonly terminal?: { readonly columns: number; readonly rows: number };
}

/** An output that keeps what is written. */
export class Kept implements Output {
  text = '';
  readonly destroyed = false;
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  readonly rows: number | undefined;

  constructor(terminal?: { readonly columns: number; readonly rows: number }) {
    this.isTTY = terminal !== undefined;
    this.columns = terminal?.columns;
    this.rows = terminal?.rows;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }
  once(): void {}
  off(): void {}
}

/** Runs the command in this process, and gives what it wrote and its exit code. */
export async function runInProcess(
  argv: readonly string[],
  { env = {}, signal = new AbortController().signal, until, terminal }: InProcessOptions = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const stdout = new Kept(terminal);
  const stop = new AbortController();
  const stderr = new (class extends Kept {
    override write(text: string): boolean {
      super.write(text);
      if (until !== undefined && this.text.includes(until)) stop.abort('SIGINT');
      return true;
    }
  })(terminal);
  const io = { stdin: Readable.from([]), stdout, stderr, env, signal: until === undefined ? signal : stop.signal };
  const code = await runCommand(argv, io);
  return { code, stdout: stdout.text, stderr: stderr.text };
}
