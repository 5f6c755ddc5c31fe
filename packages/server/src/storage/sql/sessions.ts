/** Owns the sessions. Of a cookie's token only its hash is stored. */
import type { Session, SessionReader, SessionWriter } from '../../gate/access/session.ts';
import { fromJson, toJson } from './json.ts';
import { type OverRunner, prepare } from './prepared-query.ts';
import type { NewRow, Row } from './tables.ts';

const MOST_LISTED = 200;

const findById = prepare((db, $: { id: string }) =>
  db.selectFrom('sessions').selectAll().where('id', '=', $.id),
);

const findByToken = prepare((db, $: { tokenHash: string }) =>
  db.selectFrom('sessions').selectAll().where('token_hash', '=', $.tokenHash),
);

const listRows = prepare((db, $: { userId: string }) =>
  db
    .selectFrom('sessions')
    .selectAll()
    .where('user_id', '=', $.userId)
    .where('ended_at', 'is', null)
    .orderBy('seq', 'desc')
    .limit(MOST_LISTED),
);

const insertRow = prepare((db, $: NewRow<'sessions'>) =>
  db.insertInto('sessions').values({
    id: $.id,
    token_hash: $.token_hash,
    user_id: $.user_id,
    methods: $.methods,
    signed_in_at: $.signed_in_at,
    confirmed_at: $.confirmed_at,
    last_seen_at: $.last_seen_at,
    expires_at: $.expires_at,
    address: $.address,
    user_agent: $.user_agent,
    ended_at: $.ended_at,
  }),
);

const endRow = prepare((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ ended_at: $.at }).where('id', '=', $.id).where('ended_at', 'is', null),
);

const endRows = prepare((db, $: { userId: string; exceptId: string; at: string }) =>
  db
    .updateTable('sessions')
    .set({ ended_at: $.at })
    .where('user_id', '=', $.userId)
    .where('id', '!=', $.exceptId)
    .where('ended_at', 'is', null),
);

const confirmRow = prepare((db, $: { id: string; at: string }) =>
  db.updateTable('sessions').set({ confirmed_at: $.at }).where('id', '=', $.id).where('ended_at', 'is', null),
);

const touchRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: $.at })
    .where('id', '=', $.id)
    .where('ended_at', 'is', null)
    .where('last_seen_at', '<', $.at),
);

const deleteOld = prepare((db, $: { before: string; limit: number }) =>
  db
    .deleteFrom('sessions')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('sessions as old')
        .select('old.seq')
        .where('old.expires_at', '<', $.before)
        .orderBy('old.expires_at')
        .limit($.limit),
    ),
);

const deleteOf = prepare((db, $: { userId: string }) =>
  db.deleteFrom('sessions').where('user_id', '=', $.userId),
);

export const sessionReads: OverRunner<SessionReader> = {
  async findSession(run, id) {
    const row = await run.first(findById, { id });
    return row && toSession(row);
  },

  async findSessionByToken(run, tokenHash) {
    const row = await run.first(findByToken, { tokenHash });
    return row && toSession(row);
  },

  listSessions: async (run, userId) => (await run.all(listRows, { userId })).map(toSession),
};

export const sessionWrites: OverRunner<SessionWriter> = {
  async insertSession(run, session) {
    await run.change(insertRow, {
      id: session.id,
      token_hash: session.tokenHash,
      user_id: session.userId,
      methods: toJson(session.methods),
      signed_in_at: session.signedInAt,
      confirmed_at: session.confirmedAt,
      last_seen_at: session.lastSeenAt,
      expires_at: session.expiresAt,
      address: session.address,
      user_agent: session.userAgent,
      ended_at: session.endedAt,
    });
  },

  endSession: async (run, id, at) => (await run.change(endRow, { id, at })) === 1,

  endSessions: (run, userId, exceptId, at) => run.change(endRows, { userId, exceptId: exceptId ?? '', at }),

  confirmSession: async (run, id, at) => (await run.change(confirmRow, { id, at })) === 1,

  async touchSessions(run, ids, at) {
    for (const id of ids) await run.change(touchRow, { id, at });
  },

  deleteOldSessions: (run, before, limit) => run.change(deleteOld, { before, limit }),

  deleteSessions: (run, userId) => run.change(deleteOf, { userId }),
};

function toSession(row: Row<'sessions'>): Session {
  return {
    id: row.id,
    tokenHash: row.token_hash,
    userId: row.user_id,
    methods: fromJson(row.methods),
    signedInAt: row.signed_in_at,
    confirmedAt: row.confirmed_at,
    lastSeenAt: row.last_seen_at,
    expiresAt: row.expires_at,
    address: row.address,
    userAgent: row.user_agent,
    endedAt: row.ended_at,
  };
}
