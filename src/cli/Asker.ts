import { createInterface, type Interface } from 'node:readline/promises';
import { InterruptedError } from './InterruptedError.ts';
import type { Io } from './Io.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';

export interface Choice {
  readonly value: string;
  readonly about: string;
}

/** Asks a person at a terminal. */
export class Asker {
  /** Whether a person can answer. */
  readonly canAsk: boolean;
  readonly #io: Io;
  #lines: Interface | undefined;

  constructor(io: Io) {
    this.#io = io;
    this.canAsk = io.stderr.isTTY === true && 'isTTY' in io.stdin && io.stdin.isTTY === true;
  }

  /** An answer that isn't empty. */
  async ask(question: string): Promise<string> {
    for (;;) {
      const answer = (await this.#ask(`${question}: `)).trim();
      if (answer !== '') return answer;
    }
  }

  /** One of several, by number or name. */
  async choose(question: string, choices: readonly Choice[]): Promise<string> {
    this.#list(question, choices);
    for (;;) {
      const chosen = pick(await this.ask('Number or name'), choices);
      if (chosen !== undefined) return chosen;
    }
  }

  /** Any of several, separated by spaces or commas; none for an empty answer. */
  async chooseAny(question: string, choices: readonly Choice[]): Promise<readonly string[]> {
    this.#list(question, choices);
    for (;;) {
      const words = (await this.#ask('Numbers or names, Enter for none: ')).split(/[\s,]+/).filter((word) => word !== '');
      const chosen = words.map((word) => pick(word, choices));
      if (!chosen.includes(undefined)) return [...new Set(chosen as string[])];
    }
  }

  close(): void {
    this.#lines?.close();
  }

  #list(question: string, choices: readonly Choice[]): void {
    const lines = choices.map(({ value, about }, index) => `  ${String(index + 1).padStart(2)}  ${value.padEnd(18)} ${about}`);
    this.#io.stderr.write(`${[question, ...lines].map(escapeForTerminal).join('\n')}\n`);
  }

  async #ask(prompt: string): Promise<string> {
    const { stdin, stderr, signal } = this.#io;
    this.#lines ??= createInterface({ input: stdin, output: stderr as unknown as NodeJS.WritableStream, terminal: false });
    try {
      return await this.#lines.question(prompt, { signal });
    } catch (error) {
      throw signal.aborted ? new InterruptedError('Interrupted.') : error;
    }
  }
}

function pick(word: string, choices: readonly Choice[]): string | undefined {
  return (choices[Number(word) - 1] ?? choices.find(({ value }) => value === word))?.value;
}
