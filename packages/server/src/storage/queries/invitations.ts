/** Owns the invitations. Only the hash of a link's token is stored. */
import type { InvitationReader, InvitationWriter } from '../../people/invitations/invitation.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn, pagesOf, rowsOf } from '../sql/read-statements.ts';
import { invitations } from '../sql/tables.ts';
import { change, guarded, insertInto, type Update, updateWhere } from '../sql/write-statements.ts';

const find = findIn(invitations, 'id');
const findByToken = findIn(invitations, 'tokenHash');
const listPage = pagesOf(invitations, 'projectId');
const listTo = rowsOf(invitations, (rows, $: { email: string }) =>
  rows
    .where('email', '=', $.email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .orderBy('seq'),
);

/** Invitations that are neither accepted nor revoked. */
const open = (rows: Update<'invitations'>, id: string) =>
  rows.where('id', '=', id).where('accepted_at', 'is', null).where('revoked_at', 'is', null);

const accept = guarded(invitations, (rows, $: { id: string; userId: string; at: string }) =>
  open(rows, $.id).set({ accepted_at: $.at, accepted_by: $.userId }).where('expires_at', '>', $.at),
);

const revoke = guarded(invitations, (rows, $: { id: string; at: string }) =>
  open(rows, $.id).set({ revoked_at: $.at }),
);

type Erasure = { projectId: string; email: string; erased: string };

const eraseAddress = change((db, $: Erasure) =>
  db
    .updateTable('invitations')
    .set({ email: $.erased })
    .where('project_id', '=', $.projectId)
    .where('email', '=', $.email),
);

const eraseInviter = change((db, $: Erasure) =>
  db
    .updateTable('invitations')
    .set({ invited_by_display: $.erased })
    .where('project_id', '=', $.projectId)
    .where('invited_by_display', '=', $.email),
);

export const invitationQueries: OverRunner<InvitationReader & InvitationWriter> = {
  findInvitation: (run, id) => find(run, { id }),

  findInvitationByToken: (run, tokenHash) => findByToken(run, { tokenHash }),

  listInvitations: (run, projectId, page) => listPage(run, { projectId }, page),

  listInvitationsTo: (run, email) => listTo.all(run, { email }),

  insertInvitation: insertInto(invitations),

  renewInvitation: updateWhere(
    invitations,
    ['tokenHash', 'expiresAt', 'broughtInBy'],
    (rows, $: { id: string }) => open(rows, $.id),
  ),

  acceptInvitation: (run, id, userId, at) => accept(run, { id, userId, at }),

  revokeInvitation: (run, id, at) => revoke(run, { id, at }),

  async eraseInvitee(run, projectId, email, erased) {
    await eraseAddress(run, { projectId, email, erased });
    await eraseInviter(run, { projectId, email, erased });
  },
};
