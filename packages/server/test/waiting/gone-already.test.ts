import { expect, it } from 'vitest';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { waitUntilResolved } from '../../src/gate/intents/wait.ts';
import { openTestGate } from '../fixtures/open-test-gate.ts';

it('a wait ends at once if its client has already disconnected', async () => {
  const t = await openTestGate({ mode: 'test' });
  try {
    const { intent } = await submitIntent(t.gate, t.agent, { action: 'deploy', params: {} });
    const waited = waitUntilResolved(t.gate, t.agent, intent.id, 50, AbortSignal.abort()).then(() => 'over');
    expect(await waited).toBe('over');
  } finally {
    await t.close();
  }
});
