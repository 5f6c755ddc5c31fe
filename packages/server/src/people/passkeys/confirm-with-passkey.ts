import type { JsonObject } from '@permitry/protocol';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { readAssertion } from './credential-json.ts';
import { issueChallenge, takeChallenge } from './passkey-challenges.ts';
import { requestOptions } from './passkey-options.ts';
import { verifyAssertion } from './verify-assertion.ts';

/** @throws GateError `conflict` for a person without a passkey, or a gate served under an IP address */
export async function startConfirming(
  gate: PeopleDeps<'issuer'>,
  caller: SessionCaller,
): Promise<{ ticket: string; options: JsonObject }> {
  const { id: userId } = caller.user;
  const passkeys = await gate.storage.read.listPasskeys(userId);
  if (passkeys.length === 0) throw new GateError('conflict', 'You have no passkey; use your password.', {});
  const { ticket, challenge } = await issueChallenge(gate, { purpose: 'confirm', userId });
  return { ticket, options: requestOptions(gate, challenge, passkeys) };
}

/**
 * The session's person shows that they are there, with one of their own passkeys.
 * @throws GateError `invalid_proof`, with the same message for every fault
 */
export async function confirmWithPasskey(
  gate: PeopleDeps<'issuer'>,
  caller: SessionCaller,
  { ticket, response }: { ticket: string; response: JsonObject },
): Promise<void> {
  const { id: userId } = caller.user;
  const challenge = await takeChallenge(gate, { ticket, purpose: 'confirm', userId });
  const assertion = readAssertion(response);
  const passkey = assertion && (await gate.storage.read.findPasskey(assertion.id));
  if (challenge === undefined || !assertion || passkey?.userId !== userId) throw notConfirmed();
  const verdict = await verifyAssertion(gate, passkey, { assertion, challenge });
  if (verdict.kind === 'refused') throw notConfirmed(verdict.why);
  await gate.storage.transaction(async (tx) => {
    const now = gate.clock.now();
    if (!(await tx.usePasskey(passkey.id, { ...verdict.use, at: now }))) throw notConfirmed();
    if (!(await tx.confirmSession(caller.credentialId, now))) throw notConfirmed();
  });
}

function notConfirmed(why?: string): GateError<'invalid_proof'> {
  return new GateError(
    'invalid_proof',
    'This passkey did not confirm that it is you. Try again.',
    {},
    why === undefined ? undefined : { cause: new Error(why) },
  );
}
