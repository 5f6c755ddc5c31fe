/** No file of the data directory contains erased data, wherever the database had stored it. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { liveThrough } from './live-through.ts';
import { tracesOf } from './traces.ts';

const SECRET = 'Irmgard Zwiebelmayr-Quandt';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent', config: { rateLimitPerMinute: 0 } });
});
afterEach(() => t.close());

it('once they are erased, no file contains texts of intents, records and stored answers', async () => {
  const told = await liveThrough(t, 120, SECRET);
  await t.sealer.sealNow(t.projectId);
  expect(tracesOf(t.dataDir, SECRET)).not.toEqual([]);
  for (const intentId of told)
    await eraseIntent(t.gate, t.owner.caller, { projectId: t.projectId, intentId });
  expect(tracesOf(t.dataDir, SECRET)).toEqual([]);
});
