/** Owns what people are known as elsewhere, and what of an account is neither a membership nor a secret. */
import { foldEmailAddress } from '@permitry/protocol';
import type { Identity, IdentityReader, IdentityWriter } from '../../people/oidc/identity.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { issuer: string; subject: string }) =>
  db.selectFrom('identities').selectAll().where('issuer', '=', $.issuer).where('subject', '=', $.subject),
);

const listRows = prepare((db, $: { userId: string }) =>
  db.selectFrom('identities').selectAll().where('user_id', '=', $.userId).orderBy('seq'),
);

const anyPassword = prepare((db) => db.selectFrom('passwords').select('user_id').limit(1));
const anyPasskey = prepare((db) => db.selectFrom('passkeys').select('user_id').limit(1));
const anyIdentity = prepare((db) => db.selectFrom('identities').select('user_id').limit(1));

const insertRow = prepare((db, $: NewRow<'identities'>) =>
  db.insertInto('identities').values({
    id: $.id,
    user_id: $.user_id,
    provider: $.provider,
    issuer: $.issuer,
    subject: $.subject,
    display: $.display,
    created_at: $.created_at,
    last_used_at: $.last_used_at,
  }),
);

const touchRow = prepare((db, $: { id: string; display: string; at: string }) =>
  db.updateTable('identities').set({ display: $.display, last_used_at: $.at }).where('id', '=', $.id),
);

const deleteRow = prepare((db, $: { userId: string; id: string }) =>
  db.deleteFrom('identities').where('id', '=', $.id).where('user_id', '=', $.userId),
);

const nameRow = prepare((db, $: { userId: string; name: string }) =>
  db.updateTable('users').set({ name: $.name }).where('id', '=', $.userId),
);

const addressRow = prepare((db, $: { userId: string; email: string; emailKey: string }) =>
  db
    .updateTable('users')
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

const deletePasswords = prepare((db, $: { userId: string }) =>
  db.deleteFrom('passwords').where('user_id', '=', $.userId),
);
const deleteTotps = prepare((db, $: { userId: string }) =>
  db.deleteFrom('totp').where('user_id', '=', $.userId),
);
const deleteCodes = prepare((db, $: { userId: string }) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.userId),
);
const deleteTickets = prepare((db, $: { userId: string }) =>
  db.deleteFrom('sign_in_tickets').where('user_id', '=', $.userId),
);
const deleteLinks = prepare((db, $: { userId: string }) =>
  db.deleteFrom('one_time_links').where('user_id', '=', $.userId),
);
const deleteIdentities = prepare((db, $: { userId: string }) =>
  db.deleteFrom('identities').where('user_id', '=', $.userId),
);
const OF_SIGN_IN = [deletePasswords, deleteTotps, deleteCodes, deleteTickets, deleteLinks, deleteIdentities];

const endSessions = prepare((db, $: { at: string }) =>
  db.updateTable('sessions').set({ ended_at: $.at }).where('ended_at', 'is', null),
);
const endLinks = prepare((db) => db.deleteFrom('one_time_links'));
const endTickets = prepare((db) => db.deleteFrom('sign_in_tickets'));
const endInvitations = prepare((db, $: { at: string }) =>
  db
    .updateTable('invitations')
    .set({ revoked_at: $.at })
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null),
);

export const identityReads: OverRunner<IdentityReader> = {
  async findIdentity(run, issuer, subject) {
    const row = await run.first(findRow, { issuer, subject });
    return row && toIdentity(row);
  },

  listIdentities: async (run, userId) => (await run.all(listRows, { userId })).map(toIdentity),

  async hasAnybodyToSignIn(run) {
    for (const query of [anyPassword, anyPasskey, anyIdentity]) {
      if (await run.first(query, {})) return true;
    }
    return false;
  },
};

export const identityWrites: OverRunner<IdentityWriter> = {
  async insertIdentity(run, identity) {
    await run.change(insertRow, {
      id: identity.id,
      user_id: identity.userId,
      provider: identity.provider,
      issuer: identity.issuer,
      subject: identity.subject,
      display: identity.display,
      created_at: identity.createdAt,
      last_used_at: identity.lastUsedAt,
    });
  },

  async touchIdentity(run, id, display, at) {
    await run.change(touchRow, { id, display, at });
  },

  deleteIdentity: async (run, userId, id) => (await run.change(deleteRow, { userId, id })) === 1,

  async renameUser(run, userId, name) {
    await run.change(nameRow, { userId, name });
  },

  changeAddress: async (run, userId, email) =>
    (await run.change(addressRow, { userId, email, emailKey: foldEmailAddress(email) })) === 1,

  async endEveryWayBack(run, at) {
    await run.change(endSessions, { at });
    await run.change(endLinks, {});
    await run.change(endTickets, {});
    await run.change(endInvitations, { at });
  },

  async deleteSignIn(run, userId) {
    for (const query of OF_SIGN_IN) await run.change(query, { userId });
  },
};

function toIdentity(row: Row<'identities'>): Identity {
  return {
    id: row.id,
    userId: row.user_id,
    provider: row.provider,
    issuer: row.issuer,
    subject: row.subject,
    display: row.display,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}
