import type { PeopleDeps } from '../people-deps.ts';
import { recordAccountEvent } from '../record-account-event.ts';

/**
 * Somebody tries an account so often that strangers to it have to wait. Single failures are nobody's business but the
 * person's; this one the people of their projects should know, so it stands in the ledger, once an hour at most.
 *
 * @param account The address that was tried, whether or not anybody has it, or `code <user>` where it was a code.
 */
export async function recordBlockedSignIn(gate: PeopleDeps, account: string): Promise<void> {
  const { read } = gate.storage;
  const codeOf = /^code (usr_.+)$/.exec(account)?.[1];
  const user = codeOf === undefined ? await read.findUserByEmail(account) : await read.findUser(codeOf);
  if (!user) return;
  await gate.storage.transaction((tx) =>
    recordAccountEvent(gate, tx, {
      type: 'sign_in.blocked',
      userId: user.id,
      // Whoever tried is nobody we know.
      actor: { type: 'system', id: 'system', display: 'sign-in' },
    }),
  );
}
