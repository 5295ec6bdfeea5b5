import { expect, it } from 'vitest';
import { RejectedRows } from '../../../src/flow/load/StageLoad.ts';
import { FlowFolder } from '../../../src/flow/state/FlowFolder.ts';
import { MemoryDisk } from '../../disk/MemoryDisk.ts';
import { MemoryFileSystem } from '../../disk/MemoryFileSystem.ts';

it('drops a line that a power cut tore, though a line feed ends it', async () => {
  const disk = new MemoryDisk();
  const folder = await FlowFolder.open('/out', new MemoryFileSystem(disk));
  const rejected = new RejectedRows(folder);
  await rejected.add('places', 'postgres:places', [{ at: 10, line: '{"id":1}', reason: 'odd' }]);
  const whole = String(disk.read('/out/rejected.jsonl'));
  await folder.replace('rejected.jsonl', [whole, `{"stage":"places","to":"\0\0\0\0\0\n`]);
  expect(await rejected.cut('places', 'postgres:places', 20)).toBe(1);
  expect(String(disk.read('/out/rejected.jsonl'))).toBe(whole);
  folder.close();
});
