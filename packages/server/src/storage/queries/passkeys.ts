/** Owns the passkeys of people, and what their browsers are to have signed next. */
import type {
  Passkey,
  PasskeyChallenge,
  PasskeyReader,
  PasskeyWriter,
} from '../../people/passkeys/passkey.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { credentialId: string }) =>
  db.selectFrom('passkeys').selectAll().where('credential_id', '=', $.credentialId),
);

const listRows = prepare((db, $: { userId: string }) =>
  db.selectFrom('passkeys').selectAll().where('user_id', '=', $.userId).orderBy('seq'),
);

const insertRow = prepare((db, $: NewRow<'passkeys'>) =>
  db
    .insertInto('passkeys')
    .values({
      id: $.id,
      user_id: $.user_id,
      credential_id: $.credential_id,
      public_key: $.public_key,
      jwk: $.jwk,
      sign_count: $.sign_count,
      transports: $.transports,
      backed_up: $.backed_up,
      name: $.name,
      created_at: $.created_at,
      last_used_at: $.last_used_at,
    })
    .onConflict((conflict) => conflict.column('credential_id').doNothing()),
);

const nameRow = prepare((db, $: { userId: string; id: string; name: string }) =>
  db.updateTable('passkeys').set({ name: $.name }).where('id', '=', $.id).where('user_id', '=', $.userId),
);

const deleteRow = prepare((db, $: { userId: string; id: string }) =>
  db.deleteFrom('passkeys').where('id', '=', $.id).where('user_id', '=', $.userId),
);

const useRow = prepare((db, $: { id: string; signCount: number; backedUp: 0 | 1; at: string }) =>
  db
    .updateTable('passkeys')
    .set({ sign_count: $.signCount, backed_up: $.backedUp, last_used_at: $.at })
    .where('id', '=', $.id)
    // An authenticator that does not count says 0 for ever.
    .where((eb) =>
      eb.or([
        eb('sign_count', '<', $.signCount),
        eb.and([eb('sign_count', '=', 0), eb(eb.val($.signCount), '=', 0)]),
      ]),
    ),
);

const deleteRows = prepare((db, $: { userId: string }) =>
  db.deleteFrom('passkeys').where('user_id', '=', $.userId),
);
const deleteChallenges = prepare((db, $: { userId: string }) =>
  db.deleteFrom('passkey_challenges').where('user_id', '=', $.userId),
);

const insertChallengeRow = prepare((db, $: Row<'passkey_challenges'>) =>
  db.insertInto('passkey_challenges').values({
    ticket_hash: $.ticket_hash,
    purpose: $.purpose,
    user_id: $.user_id,
    challenge: $.challenge,
    expires_at: $.expires_at,
  }),
);

const findChallengeRow = prepare((db, $: { ticketHash: string; purpose: PasskeyChallenge['purpose'] }) =>
  db
    .selectFrom('passkey_challenges')
    .selectAll()
    .where('ticket_hash', '=', $.ticketHash)
    .where('purpose', '=', $.purpose),
);

const deleteChallengeRow = prepare((db, $: { ticketHash: string }) =>
  db.deleteFrom('passkey_challenges').where('ticket_hash', '=', $.ticketHash),
);

const deleteOldChallenges = prepare((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('passkey_challenges')
    .where('ticket_hash', 'in', (eb) =>
      eb
        .selectFrom('passkey_challenges as old')
        .select('old.ticket_hash')
        .where('old.expires_at', '<=', $.now)
        .limit($.limit),
    ),
);

export const passkeyReads: OverRunner<PasskeyReader> = {
  async findPasskey(run, credentialId) {
    const row = await run.first(findRow, { credentialId });
    return row && toPasskey(row);
  },

  listPasskeys: async (run, userId) => (await run.all(listRows, { userId })).map(toPasskey),
};

export const passkeyWrites: OverRunner<PasskeyWriter> = {
  insertPasskey: async (run, passkey) => (await run.change(insertRow, toRow(passkey))) === 1,

  renamePasskey: async (run, userId, id, name) => (await run.change(nameRow, { userId, id, name })) === 1,

  deletePasskey: async (run, userId, id) => (await run.change(deleteRow, { userId, id })) === 1,

  usePasskey: async (run, id, { signCount, backedUp, at }) =>
    (await run.change(useRow, { id, signCount, backedUp: backedUp ? 1 : 0, at })) === 1,

  async deletePasskeysOf(run, userId) {
    for (const query of [deleteRows, deleteChallenges]) await run.change(query, { userId });
  },

  async insertPasskeyChallenge(run, { ticketHash, purpose, userId, challenge, expiresAt }) {
    await run.change(insertChallengeRow, {
      ticket_hash: ticketHash,
      purpose,
      user_id: userId,
      challenge,
      expires_at: expiresAt,
    });
  },

  async takePasskeyChallenge(run, ticketHash, purpose, now) {
    const row = await run.first(findChallengeRow, { ticketHash, purpose });
    if (!row || (await run.change(deleteChallengeRow, { ticketHash })) !== 1) return undefined;
    return row.expires_at <= now ? undefined : toChallenge(row);
  },

  deleteExpiredPasskeyChallenges: (run, now, limit) => run.change(deleteOldChallenges, { now, limit }),
};

function toRow(passkey: Passkey): NewRow<'passkeys'> {
  return {
    id: passkey.id,
    user_id: passkey.userId,
    credential_id: passkey.credentialId,
    public_key: passkey.publicKey,
    jwk: toJson(passkey.jwk),
    sign_count: passkey.signCount,
    transports: toJson(passkey.transports),
    backed_up: passkey.backedUp ? 1 : 0,
    name: passkey.name,
    created_at: passkey.createdAt,
    last_used_at: passkey.lastUsedAt,
  };
}

function toPasskey(row: Row<'passkeys'>): Passkey {
  return {
    id: row.id,
    userId: row.user_id,
    credentialId: row.credential_id,
    publicKey: row.public_key,
    jwk: fromJson(row.jwk),
    signCount: row.sign_count,
    transports: fromJson(row.transports),
    backedUp: row.backed_up === 1,
    name: row.name,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
  };
}

function toChallenge(row: Row<'passkey_challenges'>): PasskeyChallenge {
  return {
    ticketHash: row.ticket_hash,
    purpose: row.purpose,
    userId: row.user_id,
    challenge: row.challenge,
    expiresAt: row.expires_at,
  };
}
