import type { Output } from './Io.ts';

/** Writes, and waits for a reader who is slower; a reader who has gone is not waited for. */
export async function writeOut(output: Output, text: string): Promise<void> {
  if (output.destroyed || output.write(text)) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error'] as const) output.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error'] as const) output.once(event, done);
  });
}
