import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { hashJson, type PublicJwks, verifyPermitOffline } from '@permitry/protocol';
import { REFUND, type Scene } from '../scene.ts';
import { tamperWith } from '../tamper.ts';
import { SAVED_KEYS } from './show-permit.ts';

/** The gate is stopped, but its signature still distinguishes a genuine permit from a forged one. */
export async function verifyOffline({ narrator, gate, directory }: Scene, token: string): Promise<void> {
  narrator.step('The gate stops, and the permit still verifies');
  narrator.does('owner', `kill -TERM ${gate.pid}`);
  const { exitCode, milliseconds } = await gate.stop();
  narrator.assert(exitCode === 0, `the gate stopped in ${milliseconds} ms with exit code ${exitCode}`);
  narrator.does('anybody', 'curl "$GATE/readyz"');
  const reached = await fetch(`${gate.url}/readyz`).then(
    () => true,
    () => false,
  );
  narrator.assert(!reached, 'no answer: the gate is stopped');

  const jwks = JSON.parse(readFileSync(join(directory, SAVED_KEYS), 'utf8')) as PublicJwks;
  const { issuer, credentials } = gate;
  const expected = { jwks, issuer, audience: credentials.project_id, mode: 'test', ...REFUND } as const;
  narrator.does('payments', `verifyPermitOffline($PERMIT, { jwks: ${SAVED_KEYS}, action, params, … })`);
  const genuine = await verifyPermitOffline(token, expected);
  narrator.assert(
    genuine.ok,
    genuine.ok
      ? `genuine: approved by ${genuine.claims.approval.by.join(', ')}`
      : `refused: ${genuine.reason}`,
  );

  const params = { ...REFUND.params, amount: 9120 };
  narrator.does('agent', 'writes the hash of 9120 euros into $PERMIT');
  const forged = await verifyPermitOffline(tamperWith(token, hashJson(params)), { ...expected, params });
  narrator.assert(
    !forged.ok && forged.reason === 'tampered',
    `refused: ${forged.ok ? 'not at all' : forged.reason}`,
  );
  narrator.why(
    'Verifying a permit takes only the public key. Only the gate knows whether it was used: before acting, ask it to consume.',
  );
}
