import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

/** Whether there is a browser to start; says once what to install where there is none. */
export const hasChromium = path !== undefined;
// oxlint-disable-next-line no-console -- a test that is left out says so
if (!hasChromium) console.log('Nothing is tested in a browser: there is no chromium (Debian: apt install chromium)');

// All pages in one process: else each starts one, and a spare one.
const args = ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--renderer-process-limit=1', '--disable-background-networking', '--no-first-run']; // prettier-ignore

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: path!, args });
}
