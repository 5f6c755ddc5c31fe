/** Owns the passkeys of people, and the challenges that their browsers must sign next. */
import type { PasskeyReader, PasskeyWriter } from '../../people/passkeys/passkey.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn, listIn } from '../sql/read-statements.ts';
import { passkeyChallenges, passkeys } from '../sql/tables.ts';
import {
  deleteFrom,
  deleteOldest,
  insertInto,
  insertOnce,
  updateOf,
  updateWhere,
} from '../sql/write-statements.ts';

const find = findIn(passkeys, 'credentialId');
const listOf = listIn(passkeys, { where: ['userId'], orderBy: 'seq' });
const rename = updateOf(passkeys, { set: ['name'], where: ['id', 'userId'] });
const deleteOne = deleteFrom(passkeys, 'id', 'userId');
const deleteOf = deleteFrom(passkeys, 'userId');

const use = updateWhere(
  passkeys,
  ['signCount', 'backedUp', 'lastUsedAt'],
  (rows, $: { id: string; signCount: number }) =>
    // An authenticator without a counter always reports 0.
    rows
      .where('id', '=', $.id)
      .where((eb) =>
        eb.or([
          eb('sign_count', '<', $.signCount),
          eb.and([eb('sign_count', '=', 0), eb(eb.val($.signCount), '=', 0)]),
        ]),
      ),
);

const findChallenge = findIn(passkeyChallenges, 'ticketHash', 'purpose');
const deleteChallenge = deleteFrom(passkeyChallenges, 'ticketHash');
const deleteChallengesOf = deleteFrom(passkeyChallenges, 'userId');

export const passkeyQueries: OverRunner<PasskeyReader & PasskeyWriter> = {
  findPasskey: (run, credentialId) => find(run, { credentialId }),

  listPasskeys: (run, userId) => listOf(run, { userId }),

  insertPasskey: insertOnce(passkeys, 'credentialId'),

  renamePasskey: (run, userId, id, name) => rename(run, { id, userId, name }),

  deletePasskey: async (run, userId, id) => (await deleteOne(run, { id, userId })) === 1,

  usePasskey: (run, id, { at, ...used }) => use(run, { ...used, id, lastUsedAt: at }),

  async deletePasskeysOf(run, userId) {
    await deleteOf(run, { userId });
    await deleteChallengesOf(run, { userId });
  },

  insertPasskeyChallenge: insertInto(passkeyChallenges),

  async takePasskeyChallenge(run, ticketHash, purpose, now) {
    const challenge = await findChallenge(run, { ticketHash, purpose });
    if (!challenge || (await deleteChallenge(run, { ticketHash })) !== 1) return undefined;
    return challenge.expiresAt <= now ? undefined : challenge;
  },

  deleteExpiredPasskeyChallenges: deleteOldest(passkeyChallenges, { key: 'ticketHash', until: 'expiresAt' }),
};
