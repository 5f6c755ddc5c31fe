/** Owns the invitations. Of a link's token only its hash is stored. */
import type { Invitation, InvitationReader, InvitationWriter } from '../../people/invitations/invitation.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findById = prepare((db, $: { id: string }) =>
  db.selectFrom('invitations').selectAll().where('id', '=', $.id),
);

const findByToken = prepare((db, $: { tokenHash: string }) =>
  db.selectFrom('invitations').selectAll().where('token_hash', '=', $.tokenHash),
);

const listRows = prepareShapes(
  (db, $: { projectId: string; beforeId: string; limit: number }, shape: { paged: boolean }) => {
    const rows = db
      .selectFrom('invitations')
      .selectAll()
      .where('project_id', '=', $.projectId)
      .orderBy('seq', 'desc')
      .limit($.limit);
    if (!shape.paged) return rows;
    return rows.where('seq', '<', (eb) =>
      eb
        .selectFrom('invitations as last')
        .select('last.seq')
        .where('last.id', '=', $.beforeId)
        .where('last.project_id', '=', $.projectId),
    );
  },
);

const listTo = prepare((db, $: { email: string }) =>
  db
    .selectFrom('invitations')
    .selectAll()
    .where('email', '=', $.email)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .orderBy('seq'),
);

const insertRow = prepare((db, $: NewRow<'invitations'>) =>
  db.insertInto('invitations').values({
    id: $.id,
    project_id: $.project_id,
    email: $.email,
    role: $.role,
    token_hash: $.token_hash,
    invited_by: $.invited_by,
    invited_by_display: $.invited_by_display,
    brought_in_by: $.brought_in_by,
    created_at: $.created_at,
    expires_at: $.expires_at,
    accepted_at: $.accepted_at,
    accepted_by: $.accepted_by,
    revoked_at: $.revoked_at,
  }),
);

const renewRow = prepare((db, $: { id: string; tokenHash: string; expiresAt: string; broughtInBy: string }) =>
  db
    .updateTable('invitations')
    .set({ token_hash: $.tokenHash, expires_at: $.expiresAt, brought_in_by: $.broughtInBy })
    .where('id', '=', $.id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null),
);

const acceptRow = prepare((db, $: { id: string; userId: string; at: string }) =>
  db
    .updateTable('invitations')
    .set({ accepted_at: $.at, accepted_by: $.userId })
    .where('id', '=', $.id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', $.at),
);

const revokeRow = prepare((db, $: { id: string; at: string }) =>
  db
    .updateTable('invitations')
    .set({ revoked_at: $.at })
    .where('id', '=', $.id)
    .where('accepted_at', 'is', null)
    .where('revoked_at', 'is', null),
);

const eraseRows = prepare((db, $: { projectId: string; email: string; erased: string }) =>
  db
    .updateTable('invitations')
    .set({ email: $.erased })
    .where('project_id', '=', $.projectId)
    .where('email', '=', $.email),
);

const eraseInviterRows = prepare((db, $: { projectId: string; email: string; erased: string }) =>
  db
    .updateTable('invitations')
    .set({ invited_by_display: $.erased })
    .where('project_id', '=', $.projectId)
    .where('invited_by_display', '=', $.email),
);

export const invitationReads: OverRunner<InvitationReader> = {
  async findInvitation(run, id) {
    const row = await run.first(findById, { id });
    return row && toInvitation(row);
  },

  async findInvitationByToken(run, tokenHash) {
    const row = await run.first(findByToken, { tokenHash });
    return row && toInvitation(row);
  },

  async listInvitations(run, projectId, page) {
    const query = listRows({ paged: page.beforeId !== undefined });
    return (await run.all(query, { projectId, beforeId: page.beforeId ?? '', limit: page.limit })).map(
      toInvitation,
    );
  },

  listInvitationsTo: async (run, email) => (await run.all(listTo, { email })).map(toInvitation),
};

export const invitationWrites: OverRunner<InvitationWriter> = {
  async insertInvitation(run, invitation) {
    await run.change(insertRow, {
      id: invitation.id,
      project_id: invitation.projectId,
      email: invitation.email,
      role: invitation.role,
      token_hash: invitation.tokenHash,
      invited_by: invitation.invitedBy,
      invited_by_display: invitation.invitedByDisplay,
      brought_in_by: toJson(invitation.broughtInBy),
      created_at: invitation.createdAt,
      expires_at: invitation.expiresAt,
      accepted_at: invitation.acceptedAt,
      accepted_by: invitation.acceptedBy,
      revoked_at: invitation.revokedAt,
    });
  },

  async renewInvitation(run, { id, tokenHash, expiresAt, broughtInBy }) {
    const renewed = { id, tokenHash, expiresAt, broughtInBy: toJson(broughtInBy) };
    return (await run.change(renewRow, renewed)) === 1;
  },

  acceptInvitation: async (run, id, userId, at) => (await run.change(acceptRow, { id, userId, at })) === 1,

  revokeInvitation: async (run, id, at) => (await run.change(revokeRow, { id, at })) === 1,

  async eraseInvitee(run, projectId, email, erased) {
    await run.change(eraseRows, { projectId, email, erased });
    await run.change(eraseInviterRows, { projectId, email, erased });
  },
};

function toInvitation(row: Row<'invitations'>): Invitation {
  return {
    id: row.id,
    projectId: row.project_id,
    email: row.email,
    role: row.role,
    tokenHash: row.token_hash,
    invitedBy: row.invited_by,
    invitedByDisplay: row.invited_by_display,
    broughtInBy: fromJson(row.brought_in_by),
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    acceptedAt: row.accepted_at,
    acceptedBy: row.accepted_by,
    revokedAt: row.revoked_at,
  };
}
