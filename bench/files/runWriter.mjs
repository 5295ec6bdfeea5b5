// One writer, one file, one process: `node files/runWriter.mjs WRITER FORMAT ROWS` prints its figures as JSON.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [writer, format, rows] = process.argv.slice(2);
const folder = mkdtempSync(join(tmpdir(), 'trawler-bench-'));
const out = join(folder, `rows.${format}`);
try {
  const { default: write } = await import(`./writers/${writer}.mjs`);
  const before = process.cpuUsage();
  const start = performance.now();
  const written = await write({ rows: Number(rows), out, format });
  const wallMs = performance.now() - start;
  const cpu = process.cpuUsage(before);
  if (written !== Number(rows)) throw new Error(`${writer} wrote ${written} of ${rows} rows`);
  console.log(
    JSON.stringify({
      rows: written,
      bytes: statSync(out).size,
      wallMs,
      cpuMs: (cpu.user + cpu.system) / 1000,
      rssMb: process.resourceUsage().maxRSS / 1024,
    }),
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
