import type { PeopleDeps } from '../people-deps.ts';
import { recordAccountEvent } from '../record-account-event.ts';

/**
 * Records that an account had so many tries that strangers have to wait. Single failures concern only the person. Such
 * a block concerns the person's projects, so their audit logs record it, at most once an hour.
 * @param account The address that was tried, whether or not it exists, or `code <user>` for a code.
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
      // The gate does not know who tried.
      actor: { type: 'system', id: 'system', display: 'sign-in' },
    }),
  );
}
