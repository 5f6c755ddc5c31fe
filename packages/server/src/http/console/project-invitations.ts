import {
  EmptyBody,
  InvitePerson,
  ProjectInvitation,
  ProjectInvitations,
  SentProjectInvitation,
  StrictObject,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { createInvitation, type SentInvitation } from '../../people/invitations/create-invitation.ts';
import type { Invitation } from '../../people/invitations/invitation.ts';
import { listInvitations } from '../../people/invitations/list-invitations.ts';
import { resendInvitation, revokeInvitation } from '../../people/invitations/revoke-invitation.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, PathId } from '../routes/route-schemas.ts';
import type { GateApp } from '../routes/surface.ts';
import type { ConsoleTools } from './console-tools.ts';
import { getPerson } from './get-person.ts';

const InvitationPath = StrictObject({
  id: PathId,
  invitation_id: PathId,
});

export function projectInvitationRoutes(app: GateApp, { gate }: ConsoleTools): void {
  const now = () => gate.clock.now();

  app.get(
    '/projects/:id/invitations',
    {
      schema: {
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: ProjectInvitations },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      const page = await listInvitations(gate, getPerson(request), input);
      return {
        ...toWirePage(page, (invitation) => toWireInvitation(invitation, now())),
        by_mail: gate.accountMail.configured,
      };
    },
  );

  app.post(
    '/projects/:id/invitations',
    { schema: { params: ItemPath, body: InvitePerson, response: { 201: SentProjectInvitation } } },
    async (request) => {
      const input = { projectId: request.params.id, ...request.body };
      const sent = await createInvitation(gate, getPerson(request), input);
      return toWireSent(sent, now());
    },
  );

  app.post(
    '/projects/:id/invitations/:invitation_id/resend',
    {
      schema: { params: InvitationPath, body: EmptyBody, response: { 200: SentProjectInvitation } },
    },
    async (request) => {
      const { id: projectId, invitation_id: invitationId } = request.params;
      return toWireSent(await resendInvitation(gate, getPerson(request), { projectId, invitationId }), now());
    },
  );

  app.post(
    '/projects/:id/invitations/:invitation_id/revoke',
    { schema: { params: InvitationPath, body: EmptyBody, response: { 200: ProjectInvitation } } },
    async (request) => {
      const { id: projectId, invitation_id: invitationId } = request.params;
      const revoked = await revokeInvitation(gate, getPerson(request), { projectId, invitationId });
      return toWireInvitation(revoked, now());
    },
  );
}

function toWireInvitation(invitation: Invitation, now: string): Static<typeof ProjectInvitation> {
  return {
    id: invitation.id,
    email: invitation.email,
    role: invitation.role,
    status: statusOf(invitation, now),
    invited_by: invitation.invitedByDisplay,
    created_at: invitation.createdAt,
    expires_at: invitation.expiresAt,
  };
}

function toWireSent({ invitation, link }: SentInvitation, now: string): Static<typeof SentProjectInvitation> {
  return { ...toWireInvitation(invitation, now), link };
}

function statusOf(invitation: Invitation, now: string): Static<typeof ProjectInvitation>['status'] {
  if (invitation.acceptedAt !== null) return 'accepted';
  if (invitation.revokedAt !== null) return 'revoked';
  return invitation.expiresAt <= now ? 'expired' : 'open';
}
