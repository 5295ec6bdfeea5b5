import { fstatSync, writeFileSync } from 'node:fs';

/** Writes a text to a file as a whole, or fails. Node drops without an error what a nearly full disk doesn't take. */
export function writeWhole(output: NodeJS.WriteStream & { readonly fd: number }): void {
  if (!fstatSync(output.fd).isFile()) return;
  output._write = (chunk: Uint8Array, _encoding, done) => {
    try {
      writeFileSync(output.fd, chunk);
    } catch (error) {
      return done(error as Error);
    }
    done();
  };
}
