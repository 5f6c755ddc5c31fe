/** The drill of docs/backup.md, pasted unchanged into a shell, against a running gate. */
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findFreePort } from '../packages/server/test/fixtures/free-port.ts';
import { commandsIn, Drill, missingOf, sectionOf } from './drill.ts';

const BLOCKS = commandsIn(sectionOf('docs/backup.md', 'The drill'));
const MISSING = missingOf(['bash', 'curl', 'grep', 'sed', 'head', 'cut', 'sha256sum']);

let drill: Drill;
let data: string;

beforeAll(async () => {
  drill = new Drill();
  data = join(drill.folder, 'data');
  await drill.serve(['--data', data]);
});
afterAll(() => drill.close());

test.skipIf(MISSING.length > 0)('the backup drill works as pasted, and shows what it promises', async () => {
  expect(BLOCKS).toHaveLength(7);
  const [makeBackup = '', ...afterTheLoss] = BLOCKS;
  const env = { DATA: data, OLD_PERMIT: await drill.approve(), PORT: String(await findFreePort()) };
  const made = await drill.run(`${makeBackup}\necho "$DIGEST"`, env);
  expect(made).toContain('encrypted to a public key');
  const digest = made.trim().split('\n').at(-1);
  await drill.approve();

  const said = await drill.run(`DIGEST=${digest}\n${afterTheLoss.join('\n')}`, env);
  expect(said).toMatch(/valid {2}gate\.backup/);
  expect(said).toMatch(/lacks \d+ records? after \d+, compared with the head in --since/);
  expect(said).toMatch(/Restored gate\.backup into \.\/restored/);
  expect(said).toContain('1 unused approval revoked');
  expect(said).toContain('Revoked 3 keys');
  expect(said).toMatch(/"code":"permit_invalid".*"reason":"revoked"/);
  expect(said).toMatch(/"authorizes":true.*"consumed":true/s);
  expect(said).toMatch(/valid {2}restored\.jsonl/);
  expect(said).toMatch(/INVALID {2}restored\.jsonl.*Record \d+ reports a restore from a backup/s);
  expect(said.trim()).toMatch(/another history, as expected$/);
});
