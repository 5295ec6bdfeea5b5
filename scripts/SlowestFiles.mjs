/** A reporter that names the five slowest files of a run. */
export default class SlowestFiles {
  onTestRunEnd(modules) {
    if (modules.length < 10) return; // somebody runs a few files and knows which
    const slowest = modules
      .map((module) => ({ name: module.relativeModuleId, ms: module.diagnostic().duration }))
      .toSorted((one, other) => other.ms - one.ms)
      .slice(0, 5);
    const lines = slowest.map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
    console.log(`\n The slowest files\n${lines.join('\n')}\n`);
  }
}
