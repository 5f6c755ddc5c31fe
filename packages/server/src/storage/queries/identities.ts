/** Owns people's identities at providers, and account data that is neither a membership nor a secret. */
import { foldEmailAddress } from '@permitry/protocol';
import type { IdentityReader, IdentityWriter } from '../../people/oidc/identity.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn, listIn } from '../sql/read-statements.ts';
import {
  identities,
  oneTimeLinks,
  passwords,
  recoveryCodes,
  signInTickets,
  totp,
  users,
} from '../sql/tables.ts';
import { change, deleteFrom, guarded, insertInto, updateOf } from '../sql/write-statements.ts';

const find = findIn(identities, 'issuer', 'subject');
const listOf = listIn(identities, { where: ['userId'], orderBy: 'seq' });

const anyPassword = prepare((db) => db.selectFrom('passwords').select('user_id').limit(1));
const anyPasskey = prepare((db) => db.selectFrom('passkeys').select('user_id').limit(1));
const anyIdentity = prepare((db) => db.selectFrom('identities').select('user_id').limit(1));

const touch = updateOf(identities, { set: ['display', 'lastUsedAt'], where: ['id'] });
const deleteOne = deleteFrom(identities, 'id', 'userId');
const renameUser = updateOf(users, { set: ['name'], where: ['id'] });

const changeAddress = guarded(users, (rows, $: { userId: string; email: string; emailKey: string }) =>
  rows
    .set({ email: $.email, email_key: $.emailKey })
    .where('id', '=', $.userId)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('users as other')
            .select('other.id')
            .where('other.email_key', '=', $.emailKey)
            .where('other.id', '!=', $.userId),
        ),
      ),
    ),
);

const DELETE_SIGN_IN = [
  deleteFrom(passwords, 'userId'),
  deleteFrom(totp, 'userId'),
  deleteFrom(recoveryCodes, 'userId'),
  deleteFrom(signInTickets, 'userId'),
  deleteFrom(oneTimeLinks, 'userId'),
  deleteFrom(identities, 'userId'),
];

const endSessions = change((db, $: { at: string }) =>
  db.updateTable('sessions').set({ ended_at: $.at }).where('ended_at', 'is', null),
);
const endLinks = change((db) => db.deleteFrom('one_time_links'));
const endTickets = change((db) => db.deleteFrom('sign_in_tickets'));
const endInvitations = change((db, $: { at: string }) =>
  db
    .updateTable('invitations')
    .set({ revoked_at: $.at })
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null),
);

export const identityQueries: OverRunner<IdentityReader & IdentityWriter> = {
  findIdentity: (run, issuer, subject) => find(run, { issuer, subject }),

  listIdentities: (run, userId) => listOf(run, { userId }),

  async hasAnybodyToSignIn(run) {
    for (const query of [anyPassword, anyPasskey, anyIdentity]) {
      if (await run.first(query, {})) return true;
    }
    return false;
  },

  insertIdentity: insertInto(identities),

  touchIdentity: (run, id, display, at) => touch(run, { id, display, lastUsedAt: at }),

  deleteIdentity: async (run, userId, id) => (await deleteOne(run, { id, userId })) === 1,

  renameUser: (run, userId, name) => renameUser(run, { id: userId, name }),

  changeAddress: (run, userId, email) =>
    changeAddress(run, { userId, email, emailKey: foldEmailAddress(email) }),

  async endEveryWayBack(run, at) {
    await endSessions(run, { at });
    await endLinks(run, {});
    await endTickets(run, {});
    await endInvitations(run, { at });
  },

  async deleteSignIn(run, userId) {
    for (const deleteOf of DELETE_SIGN_IN) await deleteOf(run, { userId });
  },
};
