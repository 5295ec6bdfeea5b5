/**
 * Faults for `npm run simulate -- --plants`: a piece of the code, and what stands there with the fault. The first group takes back
 * fixes of the history, the second is made up.
 */
export const plants = [
  // Fixes.
  {
    name: 'a run that was stopped after its last page says complete',
    file: 'src/flow/run/RunTeller.ts',
    from: "because === undefined || already ? outcomeOf(stages) : 'interrupted'",
    to: 'outcomeOf(stages)',
  },
  {
    name: 'a full disk at the end of an update leaves a file open',
    file: 'src/flow/update/mergeRows.ts',
    from: '  const out = after.create(file); // first, because a full disk refuses it\n  const fetched = openRows(after, source)!;',
    to: '  const fetched = openRows(after, source)!;\n  const out = after.create(file);',
  },
  {
    name: 'a lock stays if its draft cannot be removed',
    file: 'src/files/takeLock.ts',
    from: '        discard(draft, fileSystem);',
    to: '        fileSystem.unlink(draft);',
  },
  {
    name: 'a journal is replaced while it is open, when a folder changes hands',
    file: 'src/flow/state/FlowFolder.ts',
    from: '    await this.replace(to, this.#blocksOf(from));',
    to: "    const source = this.fileSystem.open(this.at(from), 'r');\n    try {\n      await this.replace(to, readBlocks(source));\n    } finally {\n      source.close();\n    }",
  },
  {
    name: 'a journal is replaced while it is open, at the end of an update',
    file: 'src/flow/run/openRun.ts',
    from: '  main.closeJournal();\n',
    to: '',
  },
];
