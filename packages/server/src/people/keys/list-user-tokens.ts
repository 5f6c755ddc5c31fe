import type { Caller, SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { type Page, type PageRequest, pageByIds } from '../../gate/kernel/page.ts';
import { assertOperator } from '../../gate/projects/create-project.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type KeyRecord, toKeyRecord } from './mint-key.ts';

/**
 * One person's user tokens, newest first, including revoked and expired ones. Only for the operator.
 * @throws GateError `forbidden`, `not_found` for an unknown address
 */
export async function listUserTokens(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: Caller,
  input: PageRequest & { email: string },
): Promise<Page<KeyRecord>> {
  assertOperator(caller);
  const { read } = gate.storage;
  const user = await read.findUserByEmail(toEmailAddress(input.email) ?? '');
  if (!user) throw new GateError('not_found', 'There is no person with this address.', {});
  return listTokensOf(gate, user.id, input);
}

/** Lists the caller's own user tokens, newest first, including revoked and expired ones. */
export function listOwnTokens(
  gate: Pick<PeopleDeps, 'storage'>,
  caller: SessionCaller,
  input: PageRequest,
): Promise<Page<KeyRecord>> {
  return listTokensOf(gate, caller.user.id, input);
}

async function listTokensOf(
  gate: Pick<PeopleDeps, 'storage'>,
  userId: string,
  input: PageRequest,
): Promise<Page<KeyRecord>> {
  const { read } = gate.storage;
  const page = await pageByIds(input, 'key_', (rows) => read.listUserTokens(userId, rows));
  return { items: page.items.map(toKeyRecord), nextCursor: page.nextCursor };
}
