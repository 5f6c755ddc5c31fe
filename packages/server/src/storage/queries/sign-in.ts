/** Owns passwords, second factors, and the links and tickets that work once. */
import type { OneTimeLinkReader, OneTimeLinkWriter } from '../../people/links/one-time-link.ts';
import type { PasswordReader, PasswordWriter } from '../../people/passwords/password.ts';
import type { SecondFactorReader, SecondFactorWriter } from '../../people/second-factor/second-factor.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const findPasswordRow = prepare((db, $: { userId: string }) =>
  db.selectFrom('passwords').selectAll().where('user_id', '=', $.userId),
);

const savePasswordRow = prepare((db, $: Row<'passwords'>) =>
  db
    .insertInto('passwords')
    .values({ user_id: $.user_id, hash: $.hash, changed_at: $.changed_at })
    .onConflict((conflict) =>
      conflict.column('user_id').doUpdateSet({ hash: $.hash, changed_at: $.changed_at }),
    ),
);

const rehashRow = prepare((db, $: { userId: string; from: string; to: string }) =>
  db.updateTable('passwords').set({ hash: $.to }).where('user_id', '=', $.userId).where('hash', '=', $.from),
);

const findTotpRow = prepare((db, $: { userId: string }) =>
  db.selectFrom('totp').selectAll().where('user_id', '=', $.userId),
);

const saveTotpRow = prepare((db, $: Row<'totp'>) =>
  db
    .insertInto('totp')
    .values({
      user_id: $.user_id,
      secret: $.secret,
      last_step: $.last_step,
      created_at: $.created_at,
      confirmed_at: null,
    })
    .onConflict((conflict) =>
      conflict
        .column('user_id')
        .doUpdateSet({ secret: $.secret, last_step: $.last_step, created_at: $.created_at })
        .where('totp.confirmed_at', 'is', null),
    ),
);

const confirmTotpRow = prepare((db, $: { userId: string; step: number; at: string }) =>
  db
    .updateTable('totp')
    .set({ confirmed_at: $.at, last_step: $.step })
    .where('user_id', '=', $.userId)
    .where('confirmed_at', 'is', null)
    .where('last_step', '<', $.step),
);

const takeStep = prepare((db, $: { userId: string; step: number }) =>
  db
    .updateTable('totp')
    .set({ last_step: $.step })
    .where('user_id', '=', $.userId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', $.step),
);

const deleteTotpRow = prepare((db, $: { userId: string }) =>
  db.deleteFrom('totp').where('user_id', '=', $.userId),
);

const countCodes = prepare((db, $: { userId: string }) =>
  db
    .selectFrom('recovery_codes')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('user_id', '=', $.userId),
);

const deleteCodes = prepare((db, $: { userId: string }) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.userId),
);

const insertCode = prepare((db, $: Row<'recovery_codes'>) =>
  db.insertInto('recovery_codes').values({ user_id: $.user_id, hash: $.hash }),
);

const deleteCode = prepare((db, $: { userId: string; hash: string }) =>
  db.deleteFrom('recovery_codes').where('user_id', '=', $.userId).where('hash', '=', $.hash),
);

const findLinkRow = prepare((db, $: { tokenHash: string }) =>
  db.selectFrom('one_time_links').selectAll().where('token_hash', '=', $.tokenHash),
);

const insertLinkRow = prepare((db, $: Row<'one_time_links'>) =>
  db.insertInto('one_time_links').values({
    token_hash: $.token_hash,
    kind: $.kind,
    user_id: $.user_id,
    created_at: $.created_at,
    expires_at: $.expires_at,
  }),
);

const deleteLinksOfKind = prepare((db, $: { kind: 'set_up' | 'password_reset'; userId: string }) =>
  db.deleteFrom('one_time_links').where('kind', '=', $.kind).where('user_id', '=', $.userId),
);

const deleteSetUpLinks = prepare((db) => db.deleteFrom('one_time_links').where('kind', '=', 'set_up'));

const takeLinkRow = prepare((db, $: { tokenHash: string; kind: 'set_up' | 'password_reset'; now: string }) =>
  db
    .deleteFrom('one_time_links')
    .where('token_hash', '=', $.tokenHash)
    .where('kind', '=', $.kind)
    .where('expires_at', '>', $.now),
);

const deletePersonsLinks = prepare((db, $: { userId: string }) =>
  db.deleteFrom('one_time_links').where('user_id', '=', $.userId),
);

const deletePersonsTickets = prepare((db, $: { userId: string }) =>
  db.deleteFrom('sign_in_tickets').where('user_id', '=', $.userId),
);

const findTicketRow = prepare((db, $: { tokenHash: string }) =>
  db.selectFrom('sign_in_tickets').selectAll().where('token_hash', '=', $.tokenHash),
);

const insertTicketRow = prepare((db, $: Row<'sign_in_tickets'>) =>
  db.insertInto('sign_in_tickets').values({
    token_hash: $.token_hash,
    user_id: $.user_id,
    tries_left: $.tries_left,
    expires_at: $.expires_at,
  }),
);

const tryTicketRow = prepare((db, $: { tokenHash: string; now: string }) =>
  db
    .updateTable('sign_in_tickets')
    .set((eb) => ({ tries_left: eb('tries_left', '-', 1) }))
    .where('token_hash', '=', $.tokenHash)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', $.now),
);

const takeTicketRow = prepare((db, $: { tokenHash: string }) =>
  db.deleteFrom('sign_in_tickets').where('token_hash', '=', $.tokenHash),
);

const deleteOldTickets = prepare((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('sign_in_tickets')
    .where('token_hash', 'in', (eb) =>
      eb
        .selectFrom('sign_in_tickets as old')
        .select('old.token_hash')
        .where('old.expires_at', '<=', $.now)
        .limit($.limit),
    ),
);

const deleteOldLinks = prepare((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('one_time_links')
    .where('token_hash', 'in', (eb) =>
      eb
        .selectFrom('one_time_links as old')
        .select('old.token_hash')
        .where('old.expires_at', '<=', $.now)
        .limit($.limit),
    ),
);

export const signInReads: OverRunner<PasswordReader & SecondFactorReader & OneTimeLinkReader> = {
  async findPassword(run, userId) {
    const row = await run.first(findPasswordRow, { userId });
    return row && { userId: row.user_id, hash: row.hash, changedAt: row.changed_at };
  },

  async findTotp(run, userId) {
    const row = await run.first(findTotpRow, { userId });
    return (
      row && {
        userId: row.user_id,
        secret: row.secret,
        lastStep: row.last_step,
        createdAt: row.created_at,
        confirmedAt: row.confirmed_at,
      }
    );
  },

  countRecoveryCodes: async (run, userId) => (await run.first(countCodes, { userId }))?.count ?? 0,

  async findLink(run, tokenHash) {
    const row = await run.first(findLinkRow, { tokenHash });
    return (
      row && {
        tokenHash: row.token_hash,
        kind: row.kind,
        userId: row.user_id,
        createdAt: row.created_at,
        expiresAt: row.expires_at,
      }
    );
  },

  async findTicket(run, tokenHash) {
    const row = await run.first(findTicketRow, { tokenHash });
    return (
      row && {
        tokenHash: row.token_hash,
        userId: row.user_id,
        triesLeft: row.tries_left,
        expiresAt: row.expires_at,
      }
    );
  },
};

export const signInWrites: OverRunner<PasswordWriter & SecondFactorWriter & OneTimeLinkWriter> = {
  async savePassword(run, { userId, hash, changedAt }) {
    await run.change(savePasswordRow, { user_id: userId, hash, changed_at: changedAt });
  },

  rehashPassword: async (run, userId, from, to) => (await run.change(rehashRow, { userId, from, to })) === 1,

  async saveUnconfirmedTotp(run, totp) {
    const row = {
      user_id: totp.userId,
      secret: totp.secret,
      last_step: totp.lastStep,
      created_at: totp.createdAt,
      confirmed_at: null,
    };
    return (await run.change(saveTotpRow, row)) === 1;
  },

  confirmTotp: async (run, userId, step, at) =>
    (await run.change(confirmTotpRow, { userId, step, at })) === 1,

  takeTotpStep: async (run, userId, step) => (await run.change(takeStep, { userId, step })) === 1,

  deleteTotp: async (run, userId) => (await run.change(deleteTotpRow, { userId })) === 1,

  async replaceRecoveryCodes(run, userId, hashes) {
    await run.change(deleteCodes, { userId });
    for (const hash of hashes) await run.change(insertCode, { user_id: userId, hash });
  },

  takeRecoveryCode: async (run, userId, hash) => (await run.change(deleteCode, { userId, hash })) === 1,

  async replaceLinks(run, link) {
    const { tokenHash, kind, userId, createdAt, expiresAt } = link;
    if (kind === 'set_up') await run.change(deleteSetUpLinks, {});
    else await run.change(deleteLinksOfKind, { kind, userId });
    await run.change(insertLinkRow, {
      token_hash: tokenHash,
      kind,
      user_id: userId,
      created_at: createdAt,
      expires_at: expiresAt,
    });
  },

  takeLink: async (run, tokenHash, kind, now) =>
    (await run.change(takeLinkRow, { tokenHash, kind, now })) === 1,

  async deleteLinksOf(run, userId) {
    await run.change(deletePersonsLinks, { userId });
    await run.change(deletePersonsTickets, { userId });
  },

  async insertTicket(run, ticket) {
    await run.change(insertTicketRow, {
      token_hash: ticket.tokenHash,
      user_id: ticket.userId,
      tries_left: ticket.triesLeft,
      expires_at: ticket.expiresAt,
    });
  },

  tryTicket: async (run, tokenHash, now) => (await run.change(tryTicketRow, { tokenHash, now })) === 1,

  takeTicket: async (run, tokenHash) => (await run.change(takeTicketRow, { tokenHash })) === 1,

  async deleteExpiredLinks(run, now, limit) {
    const links = await run.change(deleteOldLinks, { now, limit });
    return links + (await run.change(deleteOldTickets, { now, limit }));
  },
};
