import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { KeyFolder } from '../../keys/key-folder.ts';
import { openSigningKeys } from '../../keys/signing-keys.ts';
import { createIds } from '../../runtime/ids.ts';
import { issuePermit } from './issue-permit.ts';
import { PermitRecogniser } from './recognise.ts';
import type { Tokens } from './tokens.ts';

const NOW = '2026-11-23T10:00:00.000Z';
const HASH = `sha256:${'0'.repeat(64)}`;

/**
 * Gives a permit that one process signed, a recogniser in that process, and a recogniser in another process with the
 * same keys.
 */
async function issue() {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  const signer = await openSigningKeys({ store: new KeyFolder(directory), clock: { now: () => NOW } });
  onTestFinished(async () => {
    await signer.close();
    rmSync(directory, { recursive: true });
  });
  const here = new PermitRecogniser(signer);
  const ids = createIds();
  const projectId = ids.next('prj');
  const { token } = await issuePermit(
    { ids, tokens: { issuer: 'http://localhost', signer, recogniser: here } as unknown as Tokens },
    {
      mode: 'test',
      projectId,
      intentId: ids.next('int'),
      subject: ids.next('agt'),
      action: 'payments.refund',
      paramsHash: HASH,
      intentHash: HASH,
      policyHash: HASH,
      proofTierAchieved: 'none',
      approval: { by: ['ann@example.org'], at: NOW, method: 'session' },
      ttlSeconds: 300,
    },
    NOW,
  );
  return { token, signer, here, elsewhere: new PermitRecogniser(signer) };
}

/** Changes a character in the middle of the signature. */
function altered(token: string): string {
  const at = token.length - 40;
  return `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
}

test('a permit’s signature is checked once in another process, and never where it was signed', async () => {
  const { token, signer, here, elsewhere } = await issue();
  const verify = vi.spyOn(signer, 'verify');
  const claims = await here.recognise(token, 'test');
  expect(verify).toHaveBeenCalledTimes(0);
  expect(await elsewhere.recognise(token, 'test')).toEqual(claims);
  expect(await elsewhere.recognise(token, 'test')).toEqual(claims);
  expect(verify).toHaveBeenCalledTimes(1);
});

test('an altered permit, or one of the other mode, is refused as usual where it was signed', async () => {
  const { token, here, elsewhere } = await issue();
  for (const recogniser of [here, elsewhere]) {
    await expect(recogniser.recognise(altered(token), 'test')).rejects.toMatchObject({
      details: { reason: 'tampered' },
    });
    await expect(recogniser.recognise(token, 'live')).rejects.toMatchObject({
      details: { reason: 'wrong_project' },
    });
  }
});

test('a permit of a compromised key is refused even where it was signed', async () => {
  const { token, signer, here } = await issue();
  await signer.markCompromised();
  await expect(here.recognise(token, 'test')).rejects.toMatchObject({ details: { reason: 'unknown_key' } });
});
