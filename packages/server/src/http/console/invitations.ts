import { AcceptInvitation, InvitationPreview, LinkToken, SignedIn } from '@permitry/protocol/schemas';
import { acceptInvitation, previewInvitation } from '../../people/invitations/accept-invitation.ts';
import type { GateApp } from '../routes/surface.ts';
import { answerSignedIn } from './answer-signed-in.ts';
import { browserOf } from './browser-of.ts';
import type { ConsoleTools } from './console-tools.ts';
import { findPerson } from './find-person.ts';

export function invitationRoutes(app: GateApp, { gate }: ConsoleTools): void {
  app.post(
    '/invitations/look',
    { schema: { body: LinkToken, response: { 200: InvitationPreview } } },
    async (request) => {
      const { projectName, mode, role, email, hasAccount, invitedBy } = await previewInvitation(
        gate,
        request.body,
      );
      return {
        project_name: projectName,
        mode,
        role,
        email,
        has_account: hasAccount,
        invited_by: invitedBy,
      };
    },
  );

  app.post(
    '/invitations/accept',
    { schema: { body: AcceptInvitation, response: { 200: SignedIn } } },
    async (request, reply) => {
      const person = await findPerson(gate, request);
      const started = await acceptInvitation(gate, person, request.body, await browserOf(gate, request));
      return started ? answerSignedIn(reply, started) : { status: 'signed_in' as const };
    },
  );
}
