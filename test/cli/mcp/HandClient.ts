import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { inject } from 'vitest';

export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
}

export interface StartMcp {
  readonly folder: string;
  readonly env?: { readonly [name: string]: string };
  readonly options?: readonly string[];
}

/** How `trawler mcp` is started, as users have it: compiled, in a process of its own. */
export function mcpCommand({ folder, env = {}, options = [] }: StartMcp) {
  const args = [join(inject('dist'), 'bundle/cli.js'), 'mcp', '--folder', folder, ...options];
  return { command: process.execPath, args, env: { PATH: process.env['PATH'] ?? '', ...env } };
}

/** A client that speaks JSON-RPC by hand, a message a line. */
export class HandClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (message: Message) => void>();
  #count = 0;
  /** All that the server has said. */
  heard = '';

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (this.heard += text));
    createInterface(child.stdout!).on('line', (line) => {
      this.heard += `${line}\n`;
      const message = JSON.parse(line) as Message;
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
    });
  }

  static async start(options: StartMcp): Promise<HandClient> {
    const { command, args, env } = mcpCommand(options);
    const client = new HandClient(spawn(command, args, { env, cwd: join(options.folder, '..') }));
    const clientInfo = { name: 'by hand', version: '1' };
    await client.ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo });
    client.#write({ method: 'notifications/initialized' });
    return client;
  }

  async ask(method: string, params: object): Promise<Message> {
    const id = (this.#count += 1);
    const answered = new Promise<Message>((resolve) => this.#waiting.set(id, resolve));
    this.#write({ id, method, params });
    return answered;
  }

  async call(name: string, args: object = {}): Promise<ToolResult> {
    const { result } = await this.ask('tools/call', { name, arguments: args });
    const { content, isError } = result as { content: readonly { text: string }[]; isError?: boolean };
    return { text: content[0]!.text, isError: isError === true };
  }

  async close(signal?: NodeJS.Signals): Promise<void> {
    const ended = once(this.#child, 'close');
    if (signal === undefined) this.#child.stdin!.end();
    else this.#child.kill(signal);
    await ended;
  }

  #write(message: object): void {
    this.#child.stdin!.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

interface Message {
  readonly id: number;
  readonly result?: object;
  readonly error?: { readonly message: string };
}

export type Call = (name: string, args?: object) => Promise<ToolResult>;

/** The id in a text of quote. */
export const idIn = (text: string): string => /[0-9a-f]{12}/.exec(text)![0];

/** The status of a run, once it has ended. */
export async function untilEnded(call: Call, run: string): Promise<string> {
  for (;;) {
    const { text } = await call('status', { run });
    if (/^[0-9a-f]{12}: (done|stopped|lost|damaged)/.test(text)) return text;
    await new Promise((resolve) => setTimeout(resolve, 150));
  }
}
