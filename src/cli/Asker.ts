import { createInterface, type Interface } from 'node:readline/promises';
import { InterruptedError, type Io } from './Command.ts';
import { escapeForTerminal } from './text/escapeForTerminal.ts';
import { wrapText } from './text/textWidth.ts';

/** The width of the number and the name before a choice's text. */
const indent = ' '.repeat(25);

interface Choice {
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

  /** An answer that may be empty. */
  async askOrNone(question: string): Promise<string> {
    return (await this.#ask(wrapText(`${question}, Enter for none: `, this.#io.stderr.columns || 80))).trim();
  }

  /** One of several, by number or name. */
  async choose(question: string, choices: readonly Choice[]): Promise<string> {
    this.#list(question, choices);
    for (;;) {
      const word = await this.ask('Number or name');
      const chosen = pick(word, choices);
      if (chosen !== undefined) return chosen;
      await this.#refuse(word, choices);
    }
  }

  /** Any of several, separated by spaces or commas; none for an empty answer. */
  async chooseAny(question: string, choices: readonly Choice[]): Promise<readonly string[]> {
    this.#list(question, choices);
    for (;;) {
      const words = (await this.#ask('Numbers or names, Enter for none: ')).split(/[\s,]+/).filter((word) => word !== '');
      const unknown = words.find((word) => pick(word, choices) === undefined);
      if (unknown === undefined) return [...new Set(words.map((word) => pick(word, choices)!))];
      await this.#refuse(unknown, choices);
    }
  }

  close(): void {
    this.#lines?.close();
  }

  #list(question: string, choices: readonly Choice[]): void {
    const columns = (this.#io.stderr.columns || 80) - indent.length;
    const lines = choices.map(({ value, about }, index) => {
      const start = `  ${String(index + 1).padStart(2)}  ${value.padEnd(18)} `;
      return start + wrapText(escapeForTerminal(about), columns, indent);
    });
    this.#io.stderr.write(`${[question, ...lines].join('\n')}\n`);
  }

  async #refuse(word: string, choices: readonly Choice[]): Promise<void> {
    const { nearestName } = await import('../contract/index.ts'); // loads a lot that a right answer doesn't need
    const nearest = nearestName(
      word,
      choices.map(({ value }) => value),
    );
    const hint = nearest === undefined ? `Write a number from 1 to ${choices.length}, or a name.` : `Did you mean ${nearest}?`;
    this.#io.stderr.write(`There is no '${escapeForTerminal(word)}' here. ${hint}\n`);
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
