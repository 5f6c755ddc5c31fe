/** Owns the sessions. Only the hash of a cookie's token is stored. */
import type { SessionReader, SessionWriter } from '../../gate/access/session.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn, rowsOf } from '../sql/read-statements.ts';
import { sessions } from '../sql/tables.ts';
import { change, deleteFrom, deleteOldest, guarded, insertInto } from '../sql/write-statements.ts';

const MOST_LISTED = 200;

const find = findIn(sessions, 'id');
const findByToken = findIn(sessions, 'tokenHash');
const open = rowsOf(sessions, (rows, $: { userId: string }) =>
  rows
    .where('user_id', '=', $.userId)
    .where('ended_at', 'is', null)
    .orderBy('seq', 'desc')
    .limit(MOST_LISTED),
);

const deleteOf = deleteFrom(sessions, 'userId');

const end = guarded(sessions, (rows, $: { id: string; at: string }) =>
  rows.set({ ended_at: $.at }).where('id', '=', $.id).where('ended_at', 'is', null),
);

const endOthers = change((db, $: { userId: string; exceptId: string; at: string }) =>
  db
    .updateTable('sessions')
    .set({ ended_at: $.at })
    .where('user_id', '=', $.userId)
    .where('id', '!=', $.exceptId)
    .where('ended_at', 'is', null),
);

const confirm = guarded(sessions, (rows, $: { id: string; at: string }) =>
  rows.set({ confirmed_at: $.at }).where('id', '=', $.id).where('ended_at', 'is', null),
);

const touch = change((db, $: { id: string; at: string }) =>
  db
    .updateTable('sessions')
    .set({ last_seen_at: $.at })
    .where('id', '=', $.id)
    .where('ended_at', 'is', null)
    .where('last_seen_at', '<', $.at),
);

export const sessionQueries: OverRunner<SessionReader & SessionWriter> = {
  findSession: (run, id) => find(run, { id }),

  findSessionByToken: (run, tokenHash) => findByToken(run, { tokenHash }),

  listSessions: (run, userId) => open.all(run, { userId }),

  insertSession: insertInto(sessions),

  endSession: (run, id, at) => end(run, { id, at }),

  endSessions: (run, userId, exceptId, at) => endOthers(run, { userId, exceptId: exceptId ?? '', at }),

  confirmSession: (run, id, at) => confirm(run, { id, at }),

  async touchSessions(run, ids, at) {
    for (const id of ids) await touch(run, { id, at });
  },

  deleteOldSessions: deleteOldest(sessions, { key: 'seq', before: 'expiresAt' }),

  deleteSessions: (run, userId) => deleteOf(run, { userId }),
};
