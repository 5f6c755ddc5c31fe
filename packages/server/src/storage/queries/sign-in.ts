/** Owns passwords, second factors, and the links and tickets that work once. */
import type { OneTimeLinkReader, OneTimeLinkWriter } from '../../people/links/one-time-link.ts';
import type { PasswordReader, PasswordWriter } from '../../people/passwords/password.ts';
import type { SecondFactorReader, SecondFactorWriter } from '../../people/second-factor/second-factor.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { countOf, findIn } from '../sql/read-statements.ts';
import { oneTimeLinks, passwords, type Row, recoveryCodes, signInTickets, totp } from '../sql/tables.ts';
import {
  change,
  deleteFrom,
  deleteOldest,
  guarded,
  insertInto,
  insertOr,
  save,
} from '../sql/write-statements.ts';

const findPassword = findIn(passwords, 'userId');

const rehash = guarded(passwords, (rows, $: { userId: string; from: string; to: string }) =>
  rows.set({ hash: $.to }).where('user_id', '=', $.userId).where('hash', '=', $.from),
);

const findTotp = findIn(totp, 'userId');
const deleteTotp = deleteFrom(totp, 'userId');

const saveTotp = insertOr(totp, (conflict) =>
  conflict
    .column('user_id')
    .doUpdateSet((eb) => ({
      secret: eb.ref('excluded.secret'),
      last_step: eb.ref('excluded.last_step'),
      created_at: eb.ref('excluded.created_at'),
    }))
    .where('totp.confirmed_at', 'is', null),
);

const confirmTotp = guarded(totp, (rows, $: { userId: string; step: number; at: string }) =>
  rows
    .set({ confirmed_at: $.at, last_step: $.step })
    .where('user_id', '=', $.userId)
    .where('confirmed_at', 'is', null)
    .where('last_step', '<', $.step),
);

const takeStep = guarded(totp, (rows, $: { userId: string; step: number }) =>
  rows
    .set({ last_step: $.step })
    .where('user_id', '=', $.userId)
    .where('confirmed_at', 'is not', null)
    .where('last_step', '<', $.step),
);

const insertCode = insertInto(recoveryCodes);
const deleteCode = deleteFrom(recoveryCodes, 'userId', 'hash');
const deleteCodes = deleteFrom(recoveryCodes, 'userId');

const countCodes = countOf(recoveryCodes, (rows, $: { userId: string }) =>
  rows.where('user_id', '=', $.userId),
);

const findLink = findIn(oneTimeLinks, 'tokenHash');
const insertLink = insertInto(oneTimeLinks);
const deleteLinksOfKind = deleteFrom(oneTimeLinks, 'kind', 'userId');
const deleteAllOfKind = deleteFrom(oneTimeLinks, 'kind');
const deleteLinks = deleteFrom(oneTimeLinks, 'userId');
const deleteOldLinks = deleteOldest(oneTimeLinks, { key: 'tokenHash', until: 'expiresAt' });

type LinkToTake = { tokenHash: string; kind: Row<'one_time_links'>['kind']; now: string };

const takeLink = change((db, $: LinkToTake) =>
  db
    .deleteFrom('one_time_links')
    .where('token_hash', '=', $.tokenHash)
    .where('kind', '=', $.kind)
    .where('expires_at', '>', $.now),
);

const findTicket = findIn(signInTickets, 'tokenHash');
const deleteTicket = deleteFrom(signInTickets, 'tokenHash');
const deleteTickets = deleteFrom(signInTickets, 'userId');
const deleteOldTickets = deleteOldest(signInTickets, { key: 'tokenHash', until: 'expiresAt' });

const tryTicket = guarded(signInTickets, (rows, $: { tokenHash: string; now: string }) =>
  rows
    .set((eb) => ({ tries_left: eb('tries_left', '-', 1) }))
    .where('token_hash', '=', $.tokenHash)
    .where('tries_left', '>', 0)
    .where('expires_at', '>', $.now),
);

export const signInQueries: OverRunner<
  PasswordReader &
    SecondFactorReader &
    OneTimeLinkReader &
    PasswordWriter &
    SecondFactorWriter &
    OneTimeLinkWriter
> = {
  findPassword: (run, userId) => findPassword(run, { userId }),

  findTotp: (run, userId) => findTotp(run, { userId }),

  countRecoveryCodes: (run, userId) => countCodes(run, { userId }),

  findLink: (run, tokenHash) => findLink(run, { tokenHash }),

  findTicket: (run, tokenHash) => findTicket(run, { tokenHash }),

  savePassword: save(passwords, { by: ['userId'], set: ['hash', 'changedAt'] }),

  rehashPassword: (run, userId, from, to) => rehash(run, { userId, from, to }),

  saveUnconfirmedTotp: async (run, unconfirmed) =>
    (await saveTotp(run, { ...unconfirmed, confirmedAt: null })) === 1,

  confirmTotp: (run, userId, step, at) => confirmTotp(run, { userId, step, at }),

  takeTotpStep: (run, userId, step) => takeStep(run, { userId, step }),

  deleteTotp: async (run, userId) => (await deleteTotp(run, { userId })) === 1,

  async replaceRecoveryCodes(run, userId, hashes) {
    await deleteCodes(run, { userId });
    for (const hash of hashes) await insertCode(run, { userId, hash });
  },

  takeRecoveryCode: async (run, userId, hash) => (await deleteCode(run, { userId, hash })) === 1,

  async replaceLinks(run, link) {
    await (link.kind === 'set_up' ? deleteAllOfKind : deleteLinksOfKind)(run, link);
    await insertLink(run, link);
  },

  takeLink: async (run, tokenHash, kind, now) => (await takeLink(run, { tokenHash, kind, now })) === 1,

  async deleteLinksOf(run, userId) {
    await deleteLinks(run, { userId });
    await deleteTickets(run, { userId });
  },

  insertTicket: insertInto(signInTickets),

  tryTicket: (run, tokenHash, now) => tryTicket(run, { tokenHash, now }),

  takeTicket: async (run, tokenHash) => (await deleteTicket(run, { tokenHash })) === 1,

  async deleteExpiredLinks(run, now, limit) {
    const links = await deleteOldLinks(run, now, limit);
    return links + (await deleteOldTickets(run, now, limit));
  },
};
