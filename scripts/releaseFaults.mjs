/** Why this can't be released as it is, as sentences. `tag`: the tag that a CI job runs on. Without it, a person is about to set one. */
export function releaseFaults({ manifest, changelog, branch, changed, tags, tag }) {
  const { version, homepage = '', bugs = {}, repository = {} } = manifest;
  const found = [];
  if (tag === undefined && branch !== 'main') found.push(`releases are made from main; this is ${branch || 'no branch'}`);
  if (tag === undefined && tags.includes(`v${version}`)) found.push(`v${version} is tagged already: a new version goes into package.json`);
  if (tag !== undefined && tag !== `v${version}`) found.push(`the tag is ${tag}, and package.json says ${version}`);
  if (changed.length > 0) found.push(`the tree has ${changed.length} files that aren't committed, such as ${changed[0].slice(3)}`);
  const placeholders = Object.entries({ homepage, bugs: bugs.url ?? '', repository: repository.url ?? '' });
  for (const [field, url] of placeholders)
    if (/example\.com/.test(url)) found.push(`${field} of package.json is still a placeholder: ${url}`);
  const heading = changelog.split('\n').find((line) => line.split(' ', 2).join(' ') === `## ${version}`);
  if (heading === undefined) found.push(`CHANGELOG.md has no part '## ${version}'`);
  else if (!/\(\d{4}-\d{2}-\d{2}\)$/.test(heading))
    found.push(`CHANGELOG.md says no day: '${heading}' becomes '## ${version} (2026-01-31)'`);
  return found;
}
