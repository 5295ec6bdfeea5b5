import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';

const path = ['/usr/bin/chromium', '/usr/bin/chromium-browser'].find(existsSync);

/** Whether there is a browser to start; says once what to install where there is none. */
export const hasChromium = path !== undefined;
// oxlint-disable-next-line no-console -- a test that is left out says so
if (!hasChromium) console.log('Nothing is tested in a browser: there is no chromium (Debian: apt install chromium)');

// Each window loads two pages of its own for what drops down from the address bar: half of the CPU of a page. The other features are
// those that Playwright disables so that nothing goes to the network or waits, since this list takes the place of Playwright's.
const disabled = ['WebUIOmniboxPopup', 'WebUIOmniboxAimPopup', 'AimEnabled', 'HttpsUpgrades', 'NetworkTimeServiceQuerying', 'OptimizationHints', 'PaintHolding', 'PreconnectToSearch']; // prettier-ignore
// All pages in one process: else each starts one, and a spare one.
const args = ['--no-sandbox', '--disable-gpu', '--in-process-gpu', '--renderer-process-limit=1', '--disable-background-networking', '--no-first-run', `--disable-features=${disabled.join()}`]; // prettier-ignore

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: path!, args });
}
